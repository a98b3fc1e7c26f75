import { HttpAgent } from "@ag-ui/client";
import { asked, be } from "./person";

const { createRoot } = await import("react-dom/client");
const { Chat } = await import("../../../examples/frontends/ag-ui/Chat");

await be((root) => {
  const agent = new HttpAgent({ url: `${asked.url}/ag-ui`, threadId: asked.chat, headers: asked.headers });
  const page = createRoot(root);
  page.render(<Chat agent={agent} />);
  return () => page.unmount();
});
