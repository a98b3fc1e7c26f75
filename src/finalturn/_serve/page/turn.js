// Why there is no result: words in `message`, and what the server's problem document says, such as `status`, `code`
// and `retryable`. `lost` is true when the turn had begun.
export class TurnError extends Error {
  constructor(problem) {
    super(problem.detail);
    Object.assign(this, problem);
  }
}

export async function accepted(response) {
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({ detail: `The server answered ${response.status}.` }));
  throw new TurnError({ ...problem, status: response.status });
}

// Yields the records of a turn, and last a `result` or an `error`. While a lost connection is being mended, it yields
// { type: "lost" }. What it has yielded is not repeated, and nothing is left out.
//
//   url     of the stream, such as "v1/chat/stream"
//   body    of the request: { input, session }
//   send    is fetch, or a function like it that adds a key
//   signal  ends the reading
//   run     the id of a turn that has begun already, and is read from its start
//   resume  false where the server does not keep turns for those who come back
//   parse   turns JSON into records
export async function* readTurn(url, body, options = {}) {
  let { send = fetch, signal, run, resume = true, parse = JSON.parse } = options;
  const query = body.session ? `?session=${encodeURIComponent(body.session)}` : "";
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let last = "0"; // the id of the record that was read last
  let attempts = 0;
  for (;;) {
    try {
      const request = run ? { headers: { "Last-Event-ID": last } } : post;
      const response = await send(run ? `${url}/${run}${query}` : url, { ...request, signal });
      for await (const { id, data } of events((await accepted(response)).body)) {
        const record = parse(data);
        [last, attempts] = [id, 0];
        run ??= record.run_id; // the first record has it
        yield record;
        if (record.type === "result" || record.type === "error") return;
      }
    } catch (error) {
      error.lost = run !== undefined;
      if (!run || signal?.aborted || error.status < 500) throw error;
    }
    if (!run || !resume || attempts === PAUSES.length) {
      throw new TurnError({ detail: "The connection was lost.", lost: true });
    }
    yield { type: "lost" };
    await pause(PAUSES[attempts++], signal);
  }
}

const PAUSES = [0, 500, 1000, 2000, 4000, 8000]; // milliseconds before each attempt to come back

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", resolve);
  });
}

// Yields the server-sent events of a body.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (text + value).split("\n\n");
      text = blocks.pop(); // its end has not come yet
      for (const block of blocks) {
        const [id, data] = [/^id: (.*)$/m, /^data: (.*)$/m].map((line) => block.match(line)?.[1]);
        if (data) yield { id, data }; // anything else is a comment, which keeps the connection alive
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // whoever leaves early ends the request
  }
}
