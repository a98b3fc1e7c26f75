// What is on the page. Whatever a model, a tool or a server says becomes text nodes, never markup.

function element(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

function button(label, onClick) {
  const node = element("button", "", label);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

// Keeps a number as it was written where JavaScript would round it.
const parseExactly = (text) =>
  JSON.parse(text, (key, value, context) =>
    typeof value === "number" && context?.source && context.source !== String(value) && JSON.rawJSON
      ? JSON.rawJSON(context.source)
      : value,
  );

const pretty = (value) => JSON.stringify(value, null, 2);

function prettyText(text) {
  try {
    return pretty(parseExactly(text));
  } catch {
    return text;
  }
}

const DEEPEST = 6; // what lies deeper is shown as JSON

// Any JSON value, for people to read.
function readable(value, depth = 0) {
  if (JSON.isRawJSON?.(value)) return value.rawJSON;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === null || value === "") return element("span", "none", "none");
  if (typeof value !== "object") return String(value);
  if (Object.keys(value).length === 0) return element("span", "none", "none");
  if (depth === DEEPEST) return element("code", "", JSON.stringify(value));
  const items = Object.entries(value).map(([name, one]) => {
    const shown = readable(one, depth + 1);
    if (Array.isArray(value)) return element("li", "", shown);
    return element("div", "", element("dt", "", name.replaceAll("_", " ")), element("dd", "", shown));
  });
  return element(Array.isArray(value) ? "ul" : "dl", "", ...items);
}

function folded(title, className, ...children) {
  return element("details", className, element("summary", "", title), ...children);
}

class Card {
  node = element("section", "card");

  constructor() {
    this.node.setAttribute("aria-label", "Answer card");
  }

  pending() {
    this.node.classList.add("pending");
    this.node.replaceChildren(element("h3", "", "Preparing the card…"), element("p", "bar"));
  }

  // What there is of it so far.
  grow(value) {
    this.node.classList.add("pending");
    const head = element("h3", "", "Preparing the card…");
    this.node.replaceChildren(head, element("div", "value", readable(value)), element("p", "bar"));
  }

  fill(value) {
    const json = pretty(value);
    const head = element("div", "head", element("h3", "", "Answer"));
    if (navigator.clipboard) {
      const copy = button("Copy JSON", async () => {
        await navigator.clipboard.writeText(json).then(() => (copy.textContent = "Copied"), () => copy.remove());
      });
      head.append(copy);
    }
    this.node.classList.remove("pending");
    this.value = element("div", "value", readable(value));
    this.node.replaceChildren(head, this.value, folded("JSON", "", element("pre", "", json)));
  }
}

// One tool call, folded; what came of it stands beside its name.
class ToolView {
  #state = element("span", "state", "running");
  #inside = null;
  node;

  // The tool call, and the model call that asks for it.
  constructor(call, modelCall) {
    this.modelCall = modelCall;
    const args = element("pre", "", pretty(call.arguments));
    this.node = folded(element("span", "name", call.name), "tool", element("h4", "", "Arguments"), args);
    this.node.firstChild.append(" · ", this.#state);
    this.node.dataset.state = "running";
  }

  // What an agent shows that runs as the tool.
  inside(record) {
    if (!this.#inside) {
      this.#inside = new Inside();
      this.node.append(element("h4", "", "What it does"), this.#inside.node);
    }
    this.#inside.show(record);
  }

  done(message) {
    this.#inside?.over();
    const failure = message.tool_failure;
    const denied = ["policy", "approval", "coherence"].includes(failure);
    this.node.dataset.state = failure ? "failed" : "done";
    this.#state.textContent = !failure ? "done" : `${denied ? "not run" : "failed"}: ${message.content}`;
    const text = failure ? message.content : prettyText(message.tool_result) || "(nothing)";
    this.node.append(element("h4", "", failure ? "Failure" : "Result"), element("pre", "", text));
  }

  over() {
    this.#inside?.over();
    if (this.node.dataset.state !== "running") return;
    this.node.dataset.state = "failed";
    this.#state.textContent = "not finished";
  }
}

// The texts of model calls, each in a node of its own.
class Texts {
  #nodes = new Map(); // by model call
  #parent;
  #make;

  constructor(parent, make) {
    this.#parent = parent;
    this.#make = make;
  }

  add(call, text) {
    if (!this.#nodes.has(call)) {
      this.#nodes.set(call, this.#make());
      this.#parent.append(this.#nodes.get(call).parentNode ?? this.#nodes.get(call));
    }
    const node = this.#nodes.get(call);
    if (node.lastChild instanceof Text) node.lastChild.appendData(text);
    else node.append(text);
  }

  // The node of a call's text, which is no longer one.
  take(call) {
    const node = this.#nodes.get(call);
    this.#nodes.delete(call);
    return node;
  }

  get all() {
    return [...this.#nodes.values()];
  }
}

const thought = () => folded("Reasoning", "thought", element("p")).lastChild;

// The tool calls of a turn.
class Tools {
  #views = [];
  #parent;

  constructor(parent) {
    this.#parent = parent;
  }

  add(call, modelCall) {
    this.#views.push(new ToolView(call, modelCall));
    this.#parent.append(this.#views.at(-1).node);
  }

  // Results come in the order of the calls.
  done(message) {
    this.#views.find((tool) => tool.node.dataset.state === "running")?.done(message);
  }

  inside({ call, index, activity }) {
    this.#views.filter((tool) => tool.modelCall === call)[index]?.inside(activity);
  }

  over() {
    for (const tool of this.#views) tool.over();
  }
}

// What an agent shows that runs as a tool, further in. It is given native records of its turn.
class Inside {
  node = element("div", "inside");
  #texts = new Texts(this.node, () => element("p"));
  #thoughts = new Texts(this.node, thought);
  #tools = new Tools(this.node);

  show(record) {
    switch (record.type) {
      case "chunk":
        return this.#texts.add(record.call, record.content);
      case "reasoning":
        return this.#thoughts.add(record.call, record.reasoning);
      case "tool_call":
        return this.#tools.add(record.tool_call, record.call);
      case "tool_result":
        return this.#tools.done(record.tool_message);
      case "activity":
        return this.#tools.inside(record);
    }
  }

  over() {
    this.#tools.over();
  }
}

const STOP_REASONS = {
  refused: "The model declined to answer.",
  truncated: "The answer was cut off: it reached the length limit.",
  iteration_limit: "The turn ended after as many steps as it may take, before there was an answer.",
  terminal_tool: "The turn ended with what the tool gave.",
};

const LIMITS = {
  requests: "requests to the model",
  tool_calls: "tool calls",
  input_tokens: "tokens read",
  output_tokens: "tokens written",
  total_tokens: "tokens",
  seconds: "time",
};

function whyItStopped(result) {
  if (result.stop_reason !== "limit_reached") return STOP_REASONS[result.stop_reason];
  return `The turn ended early: it reached its limit of ${LIMITS[result.limit]}.`;
}

// What a person said, and what came of it. It is given native records.
class Exchange {
  #answer = element("article", "answer", element("h2", "unseen", "Assistant"));
  #bubbles = new Texts(this.#answer, () => element("p", "bubble"));
  #thoughts = new Texts(this.#answer, thought);
  #tools = new Tools(this.#answer);
  #card = null;
  #log;
  records = []; // what it was shown, to show it again

  constructor(log, text) {
    this.text = text;
    // The log is read out as it grows. An answer is not: it comes in bits, and is read out once, when it is whole.
    this.#answer.setAttribute("aria-live", "off");
    this.question = element("article", "question", element("h2", "unseen", "You"), element("p", "bubble", text));
    this.#log = log;
    this.putBack();
  }

  putBack() {
    this.#log.append(this.question, this.#answer);
  }

  show(record) {
    const piece = { chunk: "content", reasoning: "reasoning" }[record.type];
    const last = this.records.at(-1);
    if (piece && last?.type === record.type && last.call === record.call) last[piece] += record[piece];
    else if (record.type === "partial" && last?.type === "partial") this.records.splice(-1, 1, { ...record });
    else if (record.type !== "lost") this.records.push({ ...record });
    this.#draw(record);
  }

  #draw(record) {
    switch (record.type) {
      case "chunk":
        return this.#bubbles.add(record.call, record.content);
      case "reasoning":
        return this.#thoughts.add(record.call, record.reasoning);
      case "tool_call":
        return this.#tools.add(record.tool_call, record.call);
      case "activity":
        return this.#tools.inside(record);
      case "tool_result":
        return this.#tools.done(record.tool_message);
      case "event":
        return this.#event(EVENTS[record.event] ?? { label: record.event }, record.call);
      case "partial":
        return (this.#card ?? this.#place(new Card())).grow(record.partial);
      case "result":
        return this.#finish(record);
    }
  }

  #event({ kind, label }, call) {
    switch (kind) {
      case "pending":
        return this.#place(new Card()).pending();
      case "replace":
        return this.#turnIntoCard(call);
      default:
        return this.note(label);
    }
  }

  // A message of a conversation that was kept, as the records that it came in.
  replay(message, call) {
    if (message.role === "tool") return this.#draw({ type: "tool_result", tool_message: message });
    if (message.content) this.#draw({ type: "chunk", content: message.content, call });
    for (const one of message.tool_calls ?? []) this.#draw({ type: "tool_call", tool_call: one });
    if (message.structured !== undefined) this.#place(new Card()).fill(parseExactly(message.structured));
  }

  // A sentence about the turn, below it.
  note(text, kind = "note", ...actions) {
    const node = element("div", `notice ${kind}`, element("p", "", text), ...actions);
    if (kind === "error") node.setAttribute("role", "alert");
    this.#answer.append(node);
  }

  // Nothing more will come. Gives what is to be read out.
  end() {
    this.#tools.over();
    if (this.#card?.node.classList.contains("pending")) this.#card.node.remove();
    const notes = [...this.#answer.querySelectorAll(".note")];
    return [...this.#bubbles.all, this.#card?.value, ...notes]
      .filter((node) => node?.isConnected)
      .map((node) => node.innerText)
      .join("\n");
  }

  remove() {
    this.question.remove();
    this.#answer.remove();
  }

  #place(card, where = null) {
    this.#card = card;
    if (where) where.replaceWith(card.node);
    else this.#answer.append(card.node);
    return card;
  }

  // The text of a call was the answer itself, perhaps in a fence.
  #turnIntoCard(call) {
    const bubble = this.#bubbles.take(call);
    if (!bubble) return;
    const card = this.#place(new Card(), bubble);
    try {
      card.fill(parseExactly(bubble.textContent.replace(/^\s*`{3,}.*\n|\n\s*`{3,}\s*$/g, "")));
    } catch {
      card.pending();
    }
  }

  #finish(result) {
    if (result.structured_status === "ok") {
      if (result.parsed_error) {
        this.note(`There is no card: ${result.parsed_error}.`, "note warning");
        return;
      }
      this.#turnIntoCard(result.answer_call);
      (this.#card ?? this.#place(new Card())).fill(result.parsed);
      return;
    }
    const last = result.messages.findLast((message) => message.role === "assistant")?.content ?? "";
    if (last && !result.text.includes(last)) this.#draw({ type: "chunk", content: last, call: -1 });
    if (result.stop_reason !== "completed") this.note(whyItStopped(result));
    else if (result.structured_status === "skipped") this.note("This answer has no card: none was needed.");
    if (result.structured_status === "validation_failed") {
      this.note(`There is no card: ${result.structured_error}.`, "note warning");
    }
  }
}
