const $ = (id) => document.getElementById(id);
const STREAM = "v1/chat/stream";
const KEEPS = "sessions" in document.body.dataset; // the server keeps conversations
const RESUMES = "resume" in document.body.dataset; // a turn outlives its connection

let session = ""; // the id of the conversation
let kept = 0; // how many messages of it are known to be saved
let history = []; // the messages themselves, where the server keeps none
let running = null; // the turn that goes on

// --- the server -----------------------------------------------------------------------------------------

// fetch, with the key; asks for one as long as it is refused.
async function send(url, init = {}) {
  for (;;) {
    const key = sessionStorage.getItem("finalturn-key");
    const headers = key ? { ...init.headers, Authorization: `Bearer ${key}` } : init.headers;
    const response = await fetch(url, { ...init, headers });
    if (response.status !== 401) return response;
    await askForKey(key ? "This key is not valid." : "");
  }
}

function askForKey(problem) {
  const door = $("door");
  $("door-problem").textContent = problem;
  door.returnValue = "";
  door.showModal();
  return new Promise((resolve, reject) => {
    door.onclose = () => {
      if (door.returnValue === "key") sessionStorage.setItem("finalturn-key", $("key").value.trim());
      $("key").value = "";
      if (door.returnValue === "key") resolve();
      else reject(new TurnError({ status: 401, detail: "A key is needed.", retryable: true }));
    };
  });
}

// --- the conversation -----------------------------------------------------------------------------------

// Shows the conversation that the address names, or a new one.
async function open() {
  running?.abandon();
  running = null;
  busy("");
  history = [];
  session = location.hash.slice(1);
  const named = /^[\w-][\w.@-]{0,62}$/.test(session);
  if (!named) session = crypto.getRandomValues(new BigUint64Array(2)).join("-");
  try {
    if ("locked" in document.body.dataset && !sessionStorage.getItem("finalturn-key")) await askForKey("");
    await load(named);
  } catch (error) {
    const notice = element("div", "notice error", element("p", "", words(error)), button("Try again", open));
    $("log").replaceChildren(notice);
    return;
  }
  // A turn that went on while the page was loaded again.
  const left = JSON.parse(sessionStorage.getItem("finalturn-run"));
  if (left?.session === session && left.kept === kept && RESUMES) await turn(left.text, left.run);
}

// Shows what the server keeps; gives the last exchange.
async function load(named) {
  const asked = session;
  let messages = [];
  if (named && KEEPS) {
    const response = await send(`v1/sessions/${session}`);
    if (response.status !== 404) messages = (await (await accepted(response)).json()).messages;
  }
  if (asked !== session) return null; // another conversation is open
  kept = messages.length;
  $("log").replaceChildren();
  $("empty").hidden = kept > 0;
  let last = null;
  messages.forEach((message, place) => {
    if (message.role === "user") last = new Exchange($("log"), message.content);
    else last?.replay(message, place);
  });
  follow(true);
  return last;
}

// --- a turn ---------------------------------------------------------------------------------------------

async function turn(text, run) {
  const exchange = new Exchange($("log"), text);
  const reading = new AbortController();
  const body = KEEPS ? { input: text, session } : { input: [...history, { role: "user", content: text }] };
  const mine = { run, stop, abandon: () => reading.abort() };
  let wantsStop = false;
  running = mine;
  $("empty").hidden = true;
  document.querySelector("#log > .notice")?.remove();
  busy("Thinking…");
  follow(true);
  try {
    const options = { signal: reading.signal, send, parse: parseExactly, resume: RESUMES, run };
    for await (const record of readTurn(STREAM, body, options)) {
      if (running !== mine) return; // another conversation is open
      take(record);
      follow();
    }
  } catch (error) {
    if (running !== mine) return;
    if (wantsStop) stopped();
    else if (error.lost && KEEPS) await lookAgain(error);
    else failed(error);
  } finally {
    if (running === mine) {
      running = null;
      sessionStorage.removeItem("finalturn-run");
      readOut(exchange.end());
      busy("");
      follow();
    }
  }

  function take(record) {
    exchange.show(record);
    switch (record.type) {
      case "run":
        mine.run = record.run_id;
        sessionStorage.setItem("finalturn-run", JSON.stringify({ session, kept, text, run: record.run_id }));
        if (KEEPS) window.history.replaceState(null, "", `#${session}`);
        return wantsStop && stop();
      case "lost":
        return busy("The connection was lost. Connecting again…");
      case "chunk":
        return busy("Answering…");
      case "tool_call":
        return busy(`Using ${record.tool_call.name}…`);
      case "reasoning":
      case "tool_result":
        return busy("Thinking…");
      case "event":
        return record.event === "structured_synthesis_start" && busy("Preparing the card…");
      case "result":
        return keep(record.messages);
      case "error":
        return record.code === "stopped" ? stopped() : failed(new TurnError({ ...record, detail: record.message }));
    }
  }

  function keep(messages) {
    kept += messages.length;
    for (const { role, content, structured } of messages) {
      if (role !== "tool" && (content || structured)) history.push({ role, content, structured });
    }
  }

  // Where a turn outlives its connection, the server is told, and ends the stream.
  function stop() {
    wantsStop = true;
    if (!RESUMES) return reading.abort();
    if (!mine.run) return;
    const query = KEEPS ? `?session=${session}` : "";
    send(`${STREAM}/${mine.run}${query}`, { method: "DELETE" }).catch(() => reading.abort());
  }

  function stopped() {
    exchange.note("Stopped. This turn is not kept.", "note", again());
  }

  function failed(error) {
    const mayRetry = error.retryable || error.lost || error instanceof TypeError;
    exchange.note(words(error), "error", ...(mayRetry ? [again(error.code === "session_conflict")] : []));
  }

  function again(changed = false) {
    return button("Try again", async () => {
      if (running) return;
      exchange.remove();
      $("text").focus();
      if (changed) await load(true);
      await turn(text);
    });
  }

  // The turn may have ended, and been saved, out of sight.
  async function lookAgain(error) {
    const before = kept;
    const last = await load(true).catch(() => null);
    if (running !== mine) return;
    if (kept > before) return last?.note("The connection was lost. This is the answer as it was saved.");
    exchange.putBack();
    failed(error);
  }
}

// --- the page -------------------------------------------------------------------------------------------

function words(error) {
  if (error instanceof TypeError) return "The server cannot be reached.";
  const gone = error.lost && [404, 410].includes(error.status);
  return gone ? "The connection was lost, and the rest of the answer is not kept any more." : error.message;
}

// To those who listen. Those who read find it where it belongs.
function readOut(text) {
  $("said").textContent = text;
  setTimeout(() => ($("said").textContent = ""), 2000);
}

function busy(text) {
  if ($("status").textContent === text) return; // or it would be read out again
  $("status").textContent = text;
  if (!text && document.activeElement === $("stop")) $("text").focus();
  $("send").hidden = text !== "";
  $("stop").hidden = text === "";
  $("log").ariaBusy = String(text !== "");
}

// Keeps the end of the page in sight, once a frame, unless somebody has scrolled away from it.
let atEnd = true;
let planned = 0;
function follow(always = false) {
  atEnd ||= always;
  planned ||= requestAnimationFrame(() => {
    planned = 0;
    if (atEnd) scrollTo(0, document.body.scrollHeight);
  });
}
let seenAt = 0;
addEventListener("scroll", () => {
  // What has grown meanwhile moves the end away, and nothing up.
  atEnd = scrollY + innerHeight > document.body.scrollHeight - 60 || (atEnd && scrollY >= seenAt);
  seenAt = scrollY;
});

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("text").value.trim();
  if (!text || running) return;
  $("text").value = "";
  turn(text);
});
$("text").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("ask").requestSubmit();
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.isComposing && !$("door").open) running?.stop();
});
$("stop").addEventListener("click", () => {
  running?.stop();
  $("text").focus();
});
$("new").addEventListener("click", () => {
  window.history.pushState(null, "", location.pathname + location.search);
  open();
  $("text").focus();
});
addEventListener("hashchange", open);
open();
$("text").focus();
