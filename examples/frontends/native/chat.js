import { readTurn } from "./turn.js";

const SERVER = "/v1/chat/stream";
const KEY = ""; // of the server, if it wants one
const session = crypto.getRandomValues(new BigUint64Array(2)).join("-");

const log = document.querySelector("#log");
const status = document.querySelector("#status");
let stop = () => {};

// fetch, with the key.
function send(url, init) {
  const headers = KEY ? { ...init.headers, Authorization: `Bearer ${KEY}` } : init.headers;
  return fetch(url, { ...init, headers });
}

function add(kind, text) {
  const node = document.createElement("p");
  node.className = kind;
  node.textContent = text; // never innerHTML: a model wrote it
  log.append(node);
  return node;
}

async function turn(input) {
  const bubbles = {}; // one for each model call
  add("question", input);
  try {
    for await (const record of readTurn(SERVER, { input, session }, { send })) show(record, bubbles);
  } catch (error) {
    add("error", error.message);
  }
  status.textContent = "";
}

function show(record, bubbles) {
  status.textContent = ""; // whatever it was, the turn has gone on
  switch (record.type) {
    case "run":
      stop = () => send(`${SERVER}/${record.run_id}?session=${session}`, { method: "DELETE" });
      break;
    case "chunk":
      bubbles[record.call] ??= add("bubble", "");
      bubbles[record.call].append(record.content);
      break;
    case "tool_call":
      status.textContent = `Using ${record.tool_call.name} …`;
      break;
    case "tool_result":
      add("tool", `${record.tool_message.tool_name}: ${record.tool_message.content}`);
      break;
    case "event":
      if (record.event === "structured_synthesis_start") status.textContent = "The card is on its way …";
      if (record.event === "structured_reuse") bubbles[record.call].className = "card";
      break;
    case "partial":
      status.textContent = `The card is on its way … ${JSON.stringify(record.partial)}`;
      break;
    case "lost":
      status.textContent = "The connection was lost. Connecting again …";
      break;
    case "error":
      add("error", record.message);
      break;
    case "result":
      if (record.structured_status === "ok") {
        bubbles[record.answer_call]?.remove(); // the text was the object
        add("card", JSON.stringify(record.parsed, null, 2));
        return;
      }
      const said = record.messages.findLast((one) => one.role === "assistant")?.content ?? "";
      if (!record.text.includes(said)) add("bubble", said); // it was not shown as it came
      if (record.structured_error) add("error", record.structured_error);
  }
}

document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  turn(new FormData(event.target).get("input"));
  event.target.reset();
});
document.querySelector("#stop").addEventListener("click", () => stop());
