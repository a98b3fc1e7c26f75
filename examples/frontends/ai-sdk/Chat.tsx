import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { useState, type FormEvent } from "react";

type Ticket = { topic: string; urgent: boolean };

// What finalturn sends beside the AI SDK's own parts.
type Data = {
  structured:
    | { status: "pending"; value?: Partial<Ticket>; call?: number } // with what there is of it, if that is asked for
    | { status: "ok"; value: Ticket; call?: number }
    | { status: "validation_failed" | "skipped" | "not_attempted"; error: string | null }
    | { status: "unavailable"; error: string; call?: number } // it cannot be written as JSON
    | { status: "error" };
};
type Metadata = { run_id: string; content?: string };
export type ChatMessage = UIMessage<Metadata, Data>;

type Props = {
  api: string;
  id?: string;
  resume?: boolean;
  messages?: ChatMessage[];
  headers?: Record<string, string>;
};

export function Chat({ api, headers, ...given }: Props) {
  const { id, messages, sendMessage, status, stop, error } = useChat<ChatMessage>({
    ...given,
    transport: new DefaultChatTransport({ api, headers }),
  });
  const [input, setInput] = useState("");
  const busy = status === "submitted" || status === "streaming";

  function send(event: FormEvent) {
    event.preventDefault();
    void sendMessage({ text: input });
    setInput("");
  }

  // With resume_for, the server goes on without its page. So it has to be told.
  function halt() {
    void stop();
    fetch(`${api}/${id}/stream`, { method: "DELETE", headers }).catch(() => {});
  }

  return (
    <main aria-busy={busy}>
      <ul>{messages.map((message) => <Bubbles key={message.id} message={message} />)}</ul>
      {error && <p className="error">{wordsOf(error)}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={input} onChange={(event) => setInput(event.target.value)} />
        <button disabled={busy}>Send</button>
        <button type="button" onClick={halt} disabled={!busy}>
          Stop
        </button>
      </form>
    </main>
  );
}

function Bubbles({ message }: { message: ChatMessage }) {
  const unseen = message.metadata?.content; // an answer of which nothing was shown
  return (
    <>
      {message.parts.map((part, place) => {
        switch (part.type) {
          case "text":
            // The text of this bubble was the object: its card takes its place.
            if (part.providerMetadata?.finalturn?.retracted) return null;
            return <li key={place} className={message.role}>{part.text}</li>;
          case "reasoning":
            return <li key={place} className="reasoning">{part.text}</li>;
          case "dynamic-tool":
            return <li key={place} className="tool">{part.toolName}: {outcome(part)}</li>;
          case "data-structured":
            return <Card key={place} data={part.data} />;
          default:
            return null;
        }
      })}
      {unseen && <li className="assistant">{unseen}</li>}
    </>
  );
}

// A server that does not take a request says why in a problem document.
function wordsOf(error: Error) {
  return error.message.startsWith("{") ? (JSON.parse(error.message).detail as string) : error.message;
}

function outcome(part: { state: string; output?: unknown; errorText?: string }) {
  return part.state === "output-available" ? String(part.output) : (part.errorText ?? "…");
}

function Card({ data }: { data: Data["structured"] }) {
  switch (data.status) {
    case "pending":
      return (
        <>
          {data.value?.topic && <li className="growing">{data.value.topic}</li>}
          <li className="pending" role="status">Writing the ticket…</li>
        </>
      );
    case "ok":
      return <li className="card">{data.value.topic}, {data.value.urgent ? "urgent" : "not urgent"}</li>;
    case "validation_failed":
    case "unavailable":
      return <li className="error">There is no ticket.</li>;
    default:
      return null; // the turn needed none, or the error below says what happened
  }
}
