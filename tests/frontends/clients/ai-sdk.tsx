import { asked, be } from "./person";

const { createRoot } = await import("react-dom/client");
const { Chat } = await import("../../../examples/frontends/ai-sdk/Chat");
const { history } = await import("../../../examples/frontends/ai-sdk/history");

let loaded = 0;
await be(async (root) => {
  const again = loaded++ > 0;
  const messages = again ? await history(asked.url, asked.chat, asked.headers) : [];
  const page = createRoot(root);
  const api = `${asked.url}/ai-sdk`;
  page.render(<Chat api={api} id={asked.chat} messages={messages} resume={again} headers={asked.headers} />);
  return () => page.unmount();
});
