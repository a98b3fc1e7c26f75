// A person at a page: types, looks, waits. A step is one of
//   {say: text}            send a message
//   {until: text}          wait until the page shows it
//   {release: true}        let the model go on
//   {stop: true}           press the stop button
//   {come_back: true}      load the page again
//   {answers: number}      wait until the server has answered so many requests
// and what is sent is waited for at the end of all steps, or before the next message.
import { once } from "node:events";
import { JSDOM } from "jsdom";

export type Step = { say?: string; until?: string; release?: true; stop?: true; come_back?: true; answers?: number };
type Line = [kind: string, text: string];

const dom = new JSDOM("<!doctype html><div id=root></div>", { url: "http://127.0.0.1/", pretendToBeVisual: true });
const { window } = dom;
Object.defineProperty(globalThis, "navigator", { value: window.navigator, configurable: true });
Object.assign(globalThis, { window, document: window.document, IS_REACT_ACT_ENVIRONMENT: false });

type Asked = { url: string; chat: string; headers: Record<string, string>; steps: Step[] };
export const asked: Asked = JSON.parse(process.argv[2]);
export const statuses: number[] = [];
const views: Line[][] = [];
const root = window.document.getElementById("root")!;

const answered = new EventTarget();
const plainFetch = globalThis.fetch;
globalThis.fetch = async (...given) => {
  const response = await plainFetch(...given);
  statuses.push(response.status);
  answered.dispatchEvent(new Event("answer"));
  return response;
};

async function answers(count: number) {
  while (statuses.length < count) await once(answered, "answer");
  // What the page does with the last one is done then.
  await new Promise((resolve) => setImmediate(resolve));
}

function look(): Line[] {
  const lines = [...root.querySelectorAll("li, p.error")];
  return lines.map((line) => [line.className, line.textContent ?? ""]);
}

function note() {
  const view = look();
  if (JSON.stringify(view) !== JSON.stringify(views.at(-1))) views.push(view);
}

function when(what: string, isSo: () => boolean): Promise<void> {
  if (isSo()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`not seen: ${what}; but ${JSON.stringify(look())}`)), 60_000);
    const observer = new window.MutationObserver(() => {
      if (!isSo()) return;
      clearTimeout(late);
      observer.disconnect();
      resolve();
    });
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  });
}

const isBusy = () => root.querySelector("main")?.getAttribute("aria-busy") === "true";
const isIdle = () => root.querySelector("main")?.getAttribute("aria-busy") === "false";
const shows = (text: string) => look().some((line) => line[1].includes(text));

function type(text: string) {
  const input = root.querySelector("input")!;
  const set = Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, "value")!.set!;
  set.call(input, text);
  input.dispatchEvent(new window.Event("input", { bubbles: true }));
}

async function say(text: string) {
  await when("the end of a turn", isIdle);
  type(text);
  await when("the message being typed", () => root.querySelector("input")!.value === text);
  const before = look().length;
  root.querySelector("form")!.dispatchEvent(new window.Event("submit", { bubbles: true, cancelable: true }));
  await when("the message", () => isBusy() || look().length > before);
}

// Runs the steps on a page. `load` puts the page into the document, and `leave` takes it away.
export async function be(load: (root: HTMLElement) => (() => void) | Promise<() => void>) {
  new window.MutationObserver(note).observe(root, { subtree: true, childList: true, characterData: true });
  let leave = await load(root as unknown as HTMLElement);
  await when("the page", () => root.querySelector("main") !== null);
  for (const step of asked.steps) {
    if (step.say !== undefined) await say(step.say);
    if (step.until !== undefined) await when(step.until, () => shows(step.until!));
    if (step.release) await plainFetch(`${asked.url}/release`, { method: "POST" });
    if (step.answers !== undefined) await answers(step.answers);
    if (step.stop) root.querySelector<HTMLButtonElement>("button[type=button]")!.click();
    if (step.come_back) {
      leave();
      leave = await load(root as unknown as HTMLElement);
    }
  }
  await when("the end of the last turn", isIdle);
  note();
  console.log(JSON.stringify({ views, statuses }));
  process.exit(0);
}
