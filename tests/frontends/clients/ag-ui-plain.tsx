// A page on AG-UI that knows nothing of finalturn: it draws texts, results of tools and custom events, and neither
// activities nor metadata.
import { HttpAgent } from "@ag-ui/client";
import { asked, be } from "./person";

await be((root) => {
  const agent = new HttpAgent({ url: `${asked.url}/ag-ui`, threadId: asked.chat, headers: asked.headers });
  root.innerHTML = "<main aria-busy=false><ul></ul><form><input><button type=button>Stop</button></form></main>";
  const main = root.querySelector("main")!;
  const input = root.querySelector("input")!;
  const data: string[] = [];

  function line(kind: string, text: string) {
    const node = document.createElement("li");
    node.className = kind;
    node.textContent = text;
    return node;
  }

  function show() {
    const said = agent.messages.flatMap(({ role, content }) =>
      ["user", "assistant", "tool"].includes(role) && content ? [line(role, String(content))] : [],
    );
    root.querySelector("ul")!.replaceChildren(...said, ...data.map((one) => line("data", one)));
  }

  agent.subscribe({
    onMessagesChanged: show,
    onCustomEvent: ({ event }) => {
      data.push(`${event.name} ${JSON.stringify(event.value.value ?? null)}`);
      show();
    },
    onRunErrorEvent: ({ event }) => {
      root.querySelector("ul")!.append(line("error", event.message));
    },
  });
  root.querySelector("form")!.addEventListener("submit", async () => {
    agent.addMessage({ id: String(agent.messages.length), role: "user", content: input.value });
    main.setAttribute("aria-busy", "true");
    show();
    await agent.runAgent().catch((error) => root.querySelector("ul")!.append(line("error", String(error))));
    main.setAttribute("aria-busy", "false");
  });
  root.querySelector("button")!.addEventListener("click", () => agent.abortRun());
  return () => agent.abortRun();
});
