import { HttpAgent, type Message } from "@ag-ui/client";
import { useEffect, useState, type FormEvent } from "react";

type Ticket = { topic: string; urgent: boolean };

// crypto.randomUUID is not there on a page that came over plain HTTP from another machine.
export const newId = () => crypto.getRandomValues(new BigUint64Array(2)).join("-");

export function Chat({ agent }: { agent: HttpAgent }) {
  const [messages, setMessages] = useState<Message[]>(agent.messages);
  const [running, setRunning] = useState(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState("");
  const [input, setInput] = useState("");

  useEffect(() => {
    const subscription = agent.subscribe({
      onMessagesChanged: ({ messages }) => setMessages([...messages]),
      // structured_synthesis_start and structured_reuse: the object is on its way.
      onCustomEvent: ({ event }) => setPending(event.name.startsWith("structured_")),
      // The client makes one itself when the stop button was pressed.
      onRunErrorEvent: ({ event }) => setError(event.code === "abort" ? "" : event.message),
      onRunFinishedEvent: ({ event }) => {
        const failed = event.result.structured_status === "validation_failed" || event.result.parsed_error;
        setError(failed ? "There is no ticket." : "");
      },
    });
    return () => subscription.unsubscribe();
  }, [agent]);

  async function send(event: FormEvent) {
    event.preventDefault();
    agent.addMessage({ id: newId(), role: "user", content: input });
    setInput("");
    setError("");
    setRunning(true);
    try {
      await agent.runAgent();
    } catch (error) {
      setError(refusal(error));
    } finally {
      setRunning(false);
      setPending(false);
    }
  }

  return (
    <main aria-busy={running}>
      <ul>
        {messages.map((message) => (
          <Bubble key={message.id} message={message} all={messages} />
        ))}
        {pending && <li className="pending" role="status">Writing the ticket…</li>}
      </ul>
      {error && <p className="error">{error}</p>}
      <form onSubmit={(event) => void send(event)}>
        <input aria-label="Message" value={input} onChange={(event) => setInput(event.target.value)} />
        <button disabled={running}>Send</button>
        <button type="button" onClick={() => agent.abortRun()} disabled={!running}>
          Stop
        </button>
      </form>
    </main>
  );
}

function Bubble({ message, all }: { message: Message; all: Message[] }) {
  switch (message.role) {
    case "user":
      return <li className="user">{String(message.content)}</li>;
    case "assistant": {
      // The text of this bubble was the object: its card takes its place.
      if (message.metadata?.finalturn?.retracted) return null;
      // Without text, it asks for tools, or stands for an answer that is the object alone.
      return message.content ? <li className="assistant">{message.content}</li> : null;
    }
    case "reasoning":
      return <li className="reasoning">{message.content}</li>;
    case "tool":
      return <li className="tool">{toolName(message.toolCallId, all)}: {String(message.content)}</li>;
    case "activity": {
      if (message.activityType === "structured_partial") {
        // What there is of the object, if that is asked for; none where there will be no object.
        const { topic } = (message.content.value ?? {}) as Partial<Ticket>;
        return topic ? <li className="growing">{topic}</li> : null;
      }
      if (message.activityType !== "structured") return null;
      const ticket = message.content.value as Ticket;
      return <li className="card">{ticket.topic}, {ticket.urgent ? "urgent" : "not urgent"}</li>;
    }
    default:
      return null;
  }
}

// A server that does not take a request says why in a problem document; a proxy before it may send a page.
function refusal(error: unknown) {
  const { payload } = error as { payload?: unknown };
  const problem = typeof payload === "string" && payload.startsWith("{") ? JSON.parse(payload) : {};
  return String(problem.detail ?? "The server cannot be reached.");
}

function toolName(id: string, all: Message[]) {
  const calls = all.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  return calls.find((call) => call.id === id)?.function.name;
}
