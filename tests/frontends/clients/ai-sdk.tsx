import { asked, be } from "./person";

const { createRoot } = await import("react-dom/client");
const { Chat } = await import("../../../examples/frontends/ai-sdk/Chat");

let loaded = 0;
await be((root) => {
  const page = createRoot(root);
  page.render(<Chat api={`${asked.url}/ai-sdk`} id={asked.chat} resume={loaded++ > 0} />);
  return () => page.unmount();
});
