import type { ChatMessage } from "./Chat";

type Saved = { role: string; content: string; structured?: string };

// What was said in a session, as messages for useChat.
export async function history(server: string, session: string, headers = {}): Promise<ChatMessage[]> {
  const response = await fetch(`${server}/v1/sessions/${session}`, { headers });
  if (response.status === 404) return []; // nothing is saved yet
  if (!response.ok) throw new Error(await response.text());
  const { messages } = (await response.json()) as { messages: Saved[] };
  return messages.flatMap((message, place) => messageOf(message, `saved-${place}`));
}

function messageOf({ role, content, structured }: Saved, id: string): ChatMessage[] {
  if (role !== "user" && role !== "assistant") return [];
  const parts: ChatMessage["parts"] = [];
  if (content) parts.push({ type: "text", text: content });
  if (structured) parts.push({ type: "data-structured", data: { status: "ok", value: JSON.parse(structured) } });
  return parts.length > 0 ? [{ id, role, parts }] : [];
}
