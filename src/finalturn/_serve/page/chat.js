const $ = (id) => document.getElementById(id);
const STREAM = "v1/chat/stream";
const KEEPS = "sessions" in document.body.dataset; // the server keeps conversations
const RESUMES = "resume" in document.body.dataset; // a turn outlives its connection

let session = ""; // the id of the conversation
let kept = 0; // how many messages of it are known to be saved
let history = []; // the messages themselves, where the server keeps none
let unkept = []; // the exchanges that only this page has: the one that goes on, or all where the server keeps none
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

// Ends a turn. When the server has answered, the turn is over: it was stopped, or saved whole.
async function stopRun(run) {
  const response = await send(`${STREAM}/${run}${KEEPS ? `?session=${session}` : ""}`, { method: "DELETE" });
  if (response.status !== 404) await accepted(response);
}

// --- the conversation -----------------------------------------------------------------------------------

// Shows the conversation that the address names, or a new one.
async function open() {
  leave();
  running?.abandon();
  running = null;
  busy("");
  history = [];
  unkept = [];
  session = location.hash.slice(1);
  const named = /^[\w-][\w.@-]{0,62}$/.test(session);
  if (!named) session = crypto.getRandomValues(new BigUint64Array(2)).join("-");
  const asked = session;
  const left = parseExactly(sessionStorage.getItem(LEFT + session));
  try {
    if ("locked" in document.body.dataset && !sessionStorage.getItem("finalturn-key")) await askForKey("");
    // What was going on when the page was left may just be being saved.
    const run = left?.exchanges.find(isOpen)?.run;
    if (run && KEEPS && !RESUMES) await stopRun(run);
    const messages = await load(named);
    if (asked === session && left) await bringBack(left, messages);
  } catch (error) {
    if (asked !== session) return;
    const notice = element("div", "notice error", element("p", "", words(error)), button("Try again", open));
    $("log").replaceChildren(notice);
  }
}

// Shows what the server keeps, and gives it.
async function load(named) {
  const asked = session;
  let messages = [];
  if (named && KEEPS) {
    const response = await send(`v1/sessions/${session}`);
    if (response.status !== 404) messages = (await (await accepted(response)).json()).messages;
  }
  if (asked !== session) return []; // another conversation is open
  kept = messages.length;
  $("log").replaceChildren();
  $("empty").hidden = kept > 0;
  last = null;
  messages.forEach((message, place) => {
    if (message.role === "user") last = new Exchange($("log"), message.content);
    else last?.replay(message, place);
  });
  follow(true);
  return messages;
}
let last = null; // the last exchange that the server keeps

// --- what only this page has ----------------------------------------------------------------------------

const LEFT = "finalturn-left-"; // and the id of the conversation
const isOpen = ({ records }) => !["result", "error"].includes(records.at(-1)?.type);

// Keeps it in this tab, for when the page is loaded again or the conversation is opened again.
function leave() {
  const exchanges = unkept.map(({ text, run, records }) => ({ text, run, records }));
  try {
    if (exchanges.length > 0) sessionStorage.setItem(LEFT + session, JSON.stringify({ kept, history, exchanges }));
    else sessionStorage.removeItem(LEFT + session);
  } catch {
    sessionStorage.removeItem(LEFT + session); // it is too much for the browser
  }
}

// Shows it again. A turn that goes on is read on; one that was broken off is marked.
async function bringBack(left, messages) {
  history = left.history;
  for (const one of left.exchanges) {
    if (wasSaved(messages, left.kept, one.text)) continue;
    $("empty").hidden = true;
    if (isOpen(one) && one.run && RESUMES) {
      await turn(one.text, one);
      continue;
    }
    const exchange = new Exchange($("log"), one.text);
    exchange.run = one.run;
    unkept.push(exchange);
    one.records.forEach((record) => exchange.show(record));
    if (isOpen(one)) brokenOff(exchange);
    else if (one.records.at(-1).type === "error") failed(exchange, one.records.at(-1));
    exchange.end();
    follow(true);
  }
}

function wasSaved(messages, before, text) {
  return messages.slice(before).some((message) => message.role === "user" && message.content === text);
}

function brokenOff(exchange) {
  exchange.note("The page was left before the answer was whole. This turn is not kept.", "note", again(exchange));
}

function failed(exchange, error, changed = false) {
  if (error.code === "stopped") return exchange.note("Stopped. This turn is not kept.", "note", again(exchange));
  const mayRetry = error.retryable || error.lost || error instanceof TypeError;
  exchange.note(words(error), "error", ...(mayRetry ? [again(exchange, changed)] : []));
}

function again(exchange, changed = false) {
  return button("Try again", async () => {
    if (running) return;
    unkept = unkept.filter((one) => one !== exchange);
    exchange.remove();
    $("text").focus();
    if (changed) await load(true);
    await turn(exchange.text);
  });
}

addEventListener("pagehide", leave);

// --- a turn ---------------------------------------------------------------------------------------------

const SAVED = `This turn was ${KEEPS ? "saved" : "whole"} before it could be stopped.`;

async function turn(text, left = null) {
  const exchange = new Exchange($("log"), text);
  const reading = new AbortController();
  const body = KEEPS ? { input: text, session } : { input: [...history, { role: "user", content: text }] };
  const mine = { stop, abandon: () => reading.abort() };
  let wantsStop = false;
  exchange.run = left?.run;
  running = mine;
  unkept.push(exchange);
  $("empty").hidden = true;
  document.querySelector("#log > .notice")?.remove();
  window.history.replaceState(null, "", `#${session}`);
  busy("Thinking…");
  follow(true);
  try {
    const options = { signal: reading.signal, send, parse: parseExactly, resume: RESUMES, run: left?.run };
    for await (const record of readTurn(STREAM, body, options)) {
      if (running !== mine) return; // another conversation is open
      take(record);
      follow();
    }
  } catch (error) {
    if (running !== mine) return;
    if (KEEPS && (error.lost || wantsStop)) await lookAgain(error);
    else broken(error);
  } finally {
    if (running === mine) {
      running = null;
      if (KEEPS) unkept = [];
      leave();
      readOut(exchange.end());
      busy("");
      follow();
    }
  }

  function take(record) {
    exchange.show(record);
    switch (record.type) {
      case "run":
        exchange.run = record.run_id;
        if (RESUMES) leave();
        return wantsStop && tell();
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
        return EVENTS[record.event]?.kind === "pending" && busy("Preparing the card…");
      case "result":
        keep(record.messages);
        return wantsStop && exchange.note(SAVED);
      case "error":
        return failed(exchange, record, record.code === "session_conflict");
    }
  }

  function keep(messages) {
    kept += messages.length;
    for (const { role, content, structured } of messages) {
      if (role !== "tool" && (content || structured)) history.push({ role, content, structured });
    }
  }

  // The server is told, and ends the stream with what has become of the turn. Who asks twice does not wait for it.
  function stop() {
    if (wantsStop) return reading.abort();
    wantsStop = true;
    if (exchange.run) tell();
  }

  function tell() {
    stopRun(exchange.run).catch(() => reading.abort());
  }

  function broken(error) {
    if (exchange.records.length === 0) left?.records.forEach((record) => exchange.show(record));
    failed(exchange, wantsStop ? { code: "stopped" } : error);
  }

  // The turn may have ended, and been saved, out of sight.
  async function lookAgain(error) {
    const before = kept;
    if (exchange.run && !RESUMES) await stopRun(exchange.run).catch(() => {});
    const messages = await load(true).catch(() => []);
    if (running !== mine) return;
    if (wasSaved(messages, before, text)) {
      const lost = "The connection was lost. This is the answer as it was saved.";
      return last?.note(wantsStop ? SAVED : lost);
    }
    exchange.putBack();
    broken(error);
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
