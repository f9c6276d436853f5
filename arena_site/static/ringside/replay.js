// The replay: two lanes on one time line or each on its own, with what was done drawn on the page it was done to.
(() => {
  "use strict";
  const { showFrame, stepClockWords, svg, drawAction, keep, singleKey } = window.ringside;
  const LONGEST_WAIT_MS = 2000; // a page that loads for a minute need not be watched for a minute
  const SWIPE_PX = 48; // shorter is a tap that slipped
  const APART = "ringside.lanes-apart";
  const SPEED = "ringside.speed";

  class LaneReplay {
    constructor(data) {
      this.data = data;
      this.at = -1;
      this.root = document.querySelector(`[data-lane="${data.slot}"]`);
      this.picture = this.root.querySelector(".picture");
      this.overlay = this.root.querySelector(".overlay");
      this.caption = this.root.querySelector(".caption-text");
      this.full = this.root.querySelector("[data-full]");
      this.list = this.root.querySelector(".steps");
      // A lane that took no step has no list.
      this.items = [...(this.list?.querySelectorAll("[data-go]") ?? [])];
      this.strip = this.root.querySelector(".strip");
      this.thumbs = [];
      this.opened = new Set();
      this.frames = [data.start];
      for (const step of data.steps) this.frames.push(step.frame ?? this.frames.at(-1));
      this.buildStrip();
    }

    get last() {
      return this.data.steps.length;
    }

    /** Steps finished by `seconds` on the lane's clock: the position to show then. */
    positionAt(seconds) {
      return this.data.steps.filter((step) => step.seconds <= seconds).length;
    }

    buildStrip() {
      // For the mouse only: the step list has the same for the keyboard and for screen readers.
      this.thumbs = this.frames.map((url, index) => {
        const thumb = document.createElement("button");
        thumb.type = "button";
        thumb.className = "thumb";
        thumb.tabIndex = -1;
        thumb.dataset.go = String(index);
        const after = this.data.steps[index - 1];
        thumb.classList.toggle("is-same", after?.changed === false);
        thumb.classList.toggle("is-failed", after?.ok === false);
        const image = new Image(72, 45);
        image.loading = "lazy";
        image.alt = "";
        if (url) image.src = url;
        thumb.append(image);
        return thumb;
      });
      this.strip.replaceChildren(...this.thumbs);
    }

    words() {
      const step = this.data.steps[this.at];
      if (!step) return `Last page. ${this.data.ended_words}`;
      const same = step.changed === false ? " No visible change." : "";
      const failed = step.ok ? "" : ` ${step.message || "It failed."}`;
      return `Step ${step.n} of ${this.last}: ${step.summary}.${failed}${same}`;
    }

    show(position) {
      const at = Math.max(0, Math.min(position, this.last));
      if (at === this.at) return;
      this.at = at;
      const step = this.data.steps[at];
      if (step) this.opened.add(step.n);
      const url = this.frames[at];
      showFrame(this.picture, url, `Lane ${this.data.slot}: the page ${step ? `before step ${step.n}` : "at the end"}`);
      this.overlay.replaceChildren(...drawAction(step));
      this.caption.textContent = this.words();
      this.full.hidden = !url;
      if (url) this.full.href = url;
      this.mark(this.items, this.list);
      this.mark(this.thumbs, this.strip);
      this.root.dispatchEvent(new CustomEvent("ringside:shown", { bubbles: true, detail: this }));
      for (const ahead of this.frames.slice(at + 1, at + 3)) if (ahead) new Image().src = ahead;
    }

    mark(items, box) {
      for (const item of items) {
        const here = Number(item.dataset.go) === this.at;
        const holder = item.closest(".step") ?? item;
        if (here) holder.setAttribute("aria-current", "step");
        else holder.removeAttribute("aria-current");
        if (items === this.items) item.tabIndex = here ? 0 : -1;
        // Scrolls the list alone; scrollIntoView would move the page as well.
        if (here) {
          const a = holder.getBoundingClientRect();
          const b = box.getBoundingClientRect();
          box.scrollTop += Math.min(0, a.top - b.top) + Math.max(0, a.bottom - b.bottom);
          box.scrollLeft += Math.min(0, a.left - b.left - 76) + Math.max(0, a.right - b.right + 76);
        }
      }
    }
  }

  /** One slider. Its stops are moments; `moment.positions` says where each of its lanes then is. */
  class Scrubber {
    constructor(root, lanes, replay) {
      this.root = root;
      this.lanes = lanes;
      this.input = root.querySelector("input[type=range]");
      this.output = root.querySelector("[data-at]");
      const times = new Set([0]);
      for (const lane of lanes) for (const step of lane.data.steps) times.add(step.seconds);
      this.moments = [...times].sort((a, b) => a - b);
      this.input.max = String(this.moments.length - 1);
      this.input.addEventListener("input", () => this.go(Number(this.input.value)));
      root.querySelector("[data-back]").addEventListener("click", () => replay.move(this, -1));
      root.querySelector("[data-forward]").addEventListener("click", () => replay.move(this, 1));
      this.drawTicks(root.querySelector(".scrub-ticks"));
    }

    get at() {
      return Number(this.input.value);
    }

    get last() {
      return this.moments.length - 1;
    }

    drawTicks(holder) {
      const span = Math.max(1, this.last);
      for (const lane of this.lanes) {
        const [y1, y2] = lane.data.slot === "A" ? [0, 8] : [36, 44];
        for (const step of lane.data.steps) {
          const x = `${(100 * this.moments.indexOf(step.seconds)) / span}%`;
          const classes = `tick-${lane.data.slot.toLowerCase()}${step.changed === false ? " is-same" : ""}`;
          holder.append(svg("line", { x1: x, x2: x, y1, y2, class: classes }));
        }
      }
    }

    go(index) {
      const at = Math.max(0, Math.min(index, this.last));
      this.input.value = String(at);
      const seconds = this.moments[at];
      for (const lane of this.lanes) lane.show(lane.positionAt(seconds));
      this.output.textContent = stepClockWords(seconds);
      const where = this.lanes.map((lane) => lane.words()).join(" ");
      this.input.setAttribute("aria-valuetext", `${stepClockWords(seconds)}. ${where}`);
    }

    goToPosition(lane, position) {
      const step = lane.data.steps[position - 1];
      this.go(step ? this.moments.indexOf(step.seconds) : 0);
    }

    /** The nearest moment before or after this one at which a page changed, else the first or last. */
    change(by) {
      for (let index = this.at + by; index >= 0 && index <= this.last; index += by) {
        const seconds = this.moments[index];
        const changed = this.lanes.some((lane) =>
          lane.data.steps.some((step) => step.seconds === seconds && step.changed !== false),
        );
        if (changed) return index;
      }
      return by < 0 ? 0 : this.last;
    }
  }

  class Replay {
    constructor(root, data) {
      this.root = root;
      this.lanes = data.lanes.map((lane) => new LaneReplay(lane));
      this.timer = 0;
      const box = (name) => root.querySelector(`[data-scrubber="${name}"]`);
      this.shared = new Scrubber(box("both"), this.lanes, this);
      this.own = this.lanes.map((lane) => new Scrubber(box(lane.data.slot), [lane], this));
      this.sync = root.querySelector("[data-sync]");
      this.play = root.querySelector("[data-play]");
      this.speed = root.querySelector("[data-speed]");
      this.sync.checked = keep(APART) !== "1";
      if (this.speed.querySelector(`[value="${CSS.escape(keep(SPEED) ?? "")}"]`)) this.speed.value = keep(SPEED);
      this.sync.addEventListener("change", () => {
        keep(APART, this.sync.checked ? null : "1");
        this.arrange();
      });
      this.speed.addEventListener("change", () => keep(SPEED, this.speed.value));
      this.play.addEventListener("click", () => (this.timer ? this.stop() : this.start()));
      root.querySelector("[data-last-change]").addEventListener("click", () => this.toChange(-1));
      root.querySelector("[data-next-change]").addEventListener("click", () => this.toChange(1));
      root.addEventListener("click", (event) => this.pick(event));
      for (const lane of this.lanes) this.swipe(lane.picture.parentElement);
      document.addEventListener("keydown", (event) => this.key(event));
      for (const scrubber of [...this.own, this.shared]) scrubber.go(0);
      this.arrange();
    }

    get active() {
      return this.sync.checked ? [this.shared] : this.own;
    }

    /** Steps that were opened, by lane and number: `<lane>:1.2,<lane>:4`. */
    get opened() {
      const lanes = this.lanes.filter((lane) => lane.opened.size);
      return lanes.map((lane) => `${lane.data.id}:${[...lane.opened].join(".")}`).join(",");
    }

    toChange(by) {
      this.stop();
      for (const scrubber of this.active) scrubber.go(scrubber.change(by));
    }

    /** Show one lane at a position; on one time line the other lane goes where it was at that moment. */
    goTo(slot, position) {
      this.stop();
      const index = this.lanes.findIndex((lane) => lane.data.slot === slot);
      const scrubber = this.sync.checked ? this.shared : this.own[index];
      scrubber.goToPosition(this.lanes[index], position);
      // On one time line two steps can end in the same instant: the one that was asked for wins.
      this.lanes[index].show(position);
    }

    /** Where the lanes are tabs, a finger across the frame goes from one lane to the other. */
    swipe(frame) {
      let from = null;
      frame.addEventListener("pointerdown", (event) => {
        from = event.pointerType === "touch" && !event.target.closest(".surface") ? event : null;
      });
      frame.addEventListener("pointerup", (event) => {
        if (!from) return;
        const [dx, dy] = [event.clientX - from.clientX, event.clientY - from.clientY];
        from = null;
        if (Math.abs(dx) < SWIPE_PX || Math.abs(dy) > Math.abs(dx)) return;
        const tab = document.getElementById(dx < 0 ? "show-b" : "show-a");
        if (tab?.offsetParent) tab.checked = true;
      });
      frame.addEventListener("pointercancel", () => (from = null));
    }

    arrange() {
      this.stop();
      this.shared.root.hidden = !this.sync.checked;
      for (const scrubber of this.own) scrubber.root.hidden = this.sync.checked;
      if (this.sync.checked) this.shared.go(this.shared.at);
      else this.own.forEach((scrubber, index) => scrubber.goToPosition(this.lanes[index], this.lanes[index].at));
    }

    move(scrubber, by) {
      this.stop();
      scrubber.go(scrubber.at + by);
    }

    pick(event) {
      const item = event.target.closest("[data-go]");
      if (!item || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.goTo(item.closest("[data-lane]").dataset.lane, Number(item.dataset.go));
    }

    key(event) {
      const by = { ",": -1, ".": 1 }[singleKey(event)];
      if (by) {
        event.preventDefault();
        this.toChange(by);
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const focus = event.target;
      if (focus.matches("input, select, textarea, .surface") || document.querySelector(":popover-open")) return;
      if (focus.matches("[data-go]") && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
        const items = [...focus.closest(".steps").querySelectorAll("[data-go]")];
        const next = items[items.indexOf(focus) + (event.key === "ArrowDown" ? 1 : -1)];
        event.preventDefault();
        next?.click();
        next?.focus();
        return;
      }
      const to = { ArrowLeft: (s) => s.at - 1, ArrowRight: (s) => s.at + 1, Home: () => 0, End: (s) => s.last }[event.key];
      if (!to) return;
      event.preventDefault();
      this.stop();
      for (const scrubber of this.active) scrubber.go(to(scrubber));
    }

    start() {
      if (this.active.every((scrubber) => scrubber.at === scrubber.last)) for (const scrubber of this.active) scrubber.go(0);
      this.play.textContent = "Pause";
      this.tick();
    }

    stop() {
      clearTimeout(this.timer);
      this.timer = 0;
      this.play.textContent = "Play";
    }

    tick() {
      const waiting = this.active.filter((scrubber) => scrubber.at < scrubber.last);
      if (!waiting.length) {
        this.stop();
        return;
      }
      const next = Math.min(...waiting.map((scrubber) => scrubber.moments[scrubber.at + 1]));
      const now = Math.max(...waiting.map((scrubber) => scrubber.moments[scrubber.at]), 0);
      const wait = Math.min(LONGEST_WAIT_MS, Math.max(0, next - now) * 1000) / Number(this.speed.value);
      this.timer = setTimeout(() => {
        for (const scrubber of waiting) if (scrubber.moments[scrubber.at + 1] <= next) scrubber.go(scrubber.at + 1);
        this.tick();
      }, wait);
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    const data = document.getElementById("replay-data");
    const root = document.querySelector(".replay");
    if (!data || !root) return;
    const replay = new Replay(root, JSON.parse(data.textContent));
    window.ringside = { ...window.ringside, replay };
    // What was looked at goes with the vote.
    document.addEventListener("ringside:vote", (event) => {
      event.detail.opened = replay.opened;
    });
  });
})();
