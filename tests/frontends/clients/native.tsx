// A page on the native stream, without a framework.
import { readTurn } from "../../../src/finalturn/_serve/page/turn.js";
import { asked, be } from "./person";

type Shown = { kind: string; text: string; call?: number };

await be((root) => {
  root.innerHTML = "<main aria-busy=false><ul></ul><form><input><button type=button>Stop</button></form></main>";
  const main = root.querySelector("main")!;
  const list = root.querySelector("ul")!;
  const input = root.querySelector("input")!;
  let lines: Shown[] = [];
  let leaving = new AbortController();

  function show() {
    list.replaceChildren(
      ...lines.map(({ kind, text }) => {
        const line = document.createElement("li");
        line.className = kind;
        line.textContent = text;
        return line;
      }),
    );
  }

  function add(kind: string, text: string, call?: number) {
    const last = lines.at(-1);
    if (call !== undefined && last?.kind === kind && last.call === call) last.text += text;
    else lines.push({ kind, text, call });
  }

  function take(record: any) {
    if (record.type === "chunk") add("assistant", record.content, record.call);
    if (record.type === "reasoning") add("reasoning", record.reasoning, record.call);
    if (record.type === "tool_result") {
      add("tool", `${record.tool_message.tool_name}: ${record.tool_message.content}`);
    }
    if (record.type === "event") {
      if (record.event === "structured_reuse") {
        lines = lines.filter((line) => !(line.kind === "assistant" && line.call === record.call));
      }
      add("pending", "Writing the ticket…");
    }
    lines = lines.filter((line) => line.kind !== "growing");
    if (record.type === "partial" && record.partial.topic) add("growing", record.partial.topic);
    if (record.type === "error") add("error", record.message);
    if (record.type === "result") {
      lines = lines.filter((line) => line.kind !== "pending");
      const { parsed, structured_status, text, messages } = record;
      const said = messages.findLast((one: any) => one.role === "assistant")?.content ?? "";
      if (structured_status === "ok") add("card", `${parsed.topic}, ${parsed.urgent ? "urgent" : "not urgent"}`);
      else if (!text.includes(said)) add("assistant", said);
      if (structured_status === "validation_failed") add("error", "There is no ticket.");
    }
    lines = record.type === "error" ? lines.filter((line) => line.kind !== "pending") : lines;
    show();
  }

  root.querySelector("form")!.addEventListener("submit", async (event) => {
    event.preventDefault();
    add("user", input.value);
    show();
    main.setAttribute("aria-busy", "true");
    const body = { input: input.value, ...(asked.chat ? { session: asked.chat } : {}) };
    leaving = new AbortController();
    try {
      const url = `${asked.url}/v1/chat/stream`;
      const options = { signal: leaving.signal, resume: false };
      for await (const record of readTurn(url, body, options)) take(record);
    } catch (error) {
      if (!leaving.signal.aborted) add("error", (error as { detail: string }).detail);
    }
    lines = lines.map((line) => ({ ...line, call: undefined }));
    show();
    main.setAttribute("aria-busy", "false");
  });
  root.querySelector("button")!.addEventListener("click", () => leaving.abort());
  return () => leaving.abort();
});
