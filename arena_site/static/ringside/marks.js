// Drawing on a frame: a box with mouse, finger or arrow keys, and "where would you click next?". Shown to oneself only.
(() => {
  "use strict";
  const { WIDTH, HEIGHT, svg, edged, send, singleKey } = window.ringside;
  const STEP = 0.02; // of the frame, for one press of an arrow key
  const SMALLEST = 0.01; // less is a tap: it gets a box of the usual size around it
  const USUAL = { width: 0.16, height: 0.1 };
  const HELP = {
    box: "Draw a box. Arrows move it, Shift and arrows size it, 1 to 4 tag it, Enter keeps it.",
    point: "Where would you click next? Click there, or move with the arrows and press Enter.",
  };
  const HELP_TOUCH = { box: "Draw a box with a finger, or tap.", point: "Where would you click next? Tap there." };
  const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
  const frameOf = (url) => url?.split("/").pop() ?? "";

  const data = JSON.parse(document.getElementById("marks-data")?.textContent ?? "null");
  const clicked = new Set(data?.clicked);

  class Drawing {
    constructor(root) {
      this.root = root;
      this.frame = root.querySelector(".frame");
      this.overlay = root.querySelector(".overlay");
      this.form = root.querySelector("[data-mark-form]");
      this.caption = root.querySelector(".caption");
      this.list = root.querySelector("[data-marks]");
      this.openers = { box: root.querySelector("[data-draw]"), point: root.querySelector("[data-ask]") };
      this.own = svg("svg", { class: "overlay own", viewBox: this.overlay.getAttribute("viewBox"), "aria-hidden": "true" });
      this.frame.append(this.own);
      this.mode = "";
      this.openers.box.addEventListener("click", () => this.open("box"));
      this.openers.point.addEventListener("click", () => this.open("point"));
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.keep();
      });
      this.form.querySelector("[data-cancel]").addEventListener("click", () => this.close());
      root.addEventListener("ringside:shown", (event) => this.shown(event.detail));
      this.list.addEventListener("submit", (event) => {
        event.preventDefault();
        this.remove(event.target);
      });
      this.listed();
    }

    /** Another frame is shown: its own boxes, and no half-drawn one of the frame before. */
    shown(lane) {
      if (this.mode) this.close();
      this.shownFrame = frameOf(lane.frames[lane.at]);
      this.openers.point.hidden = clicked.has(this.shownFrame);
      this.drawOwn();
    }

    drawOwn() {
      const here = data.marks.filter((mark) => mark.frame === this.shownFrame);
      this.own.replaceChildren(
        ...here.flatMap(({ box: [x, y, width, height] }) =>
          edged("rect", { x: x * WIDTH, y: y * HEIGHT, width: width * WIDTH, height: height * HEIGHT, rx: 3 }),
        ),
      );
    }

    open(mode) {
      if (this.mode) this.close();
      window.ringside.replay.stop();
      this.mode = mode;
      this.box = { x: 0.42, y: 0.45, ...USUAL };
      this.openedAt = performance.now();
      this.surface = document.createElement("div");
      this.surface.className = "surface";
      this.surface.tabIndex = 0;
      this.surface.setAttribute("role", "application");
      this.surface.setAttribute("aria-label", `Drawing on the page of lane ${this.root.dataset.lane}`);
      const help = this.form.querySelector(".mark-help");
      help.textContent = (matchMedia("(pointer: coarse)").matches ? HELP_TOUCH : HELP)[mode];
      this.surface.setAttribute("aria-describedby", help.id);
      this.drawn = svg("svg", { class: "overlay drawn", viewBox: this.overlay.getAttribute("viewBox"), "aria-hidden": "true" });
      this.surface.append(this.drawn);
      for (const name of ["pointerdown", "pointermove", "pointerup"]) this.surface.addEventListener(name, (event) => this.point(event));
      this.surface.addEventListener("keydown", (event) => this.key(event));
      this.frame.append(this.surface);
      // What the agent did there would tell what to click.
      this.overlay.classList.toggle("is-away", mode === "point");
      this.form.classList.toggle("is-point", mode === "point");
      this.form.hidden = false;
      this.caption.hidden = true;
      this.lost("");
      this.draw();
      this.surface.focus({ preventScroll: true });
    }

    close() {
      const opener = this.openers[this.mode];
      this.mode = "";
      this.surface.remove();
      this.overlay.classList.remove("is-away");
      this.form.hidden = true;
      this.caption.hidden = false;
      this.form.elements.note.value = "";
      if (opener && !opener.hidden) opener.focus({ preventScroll: true });
    }

    draw() {
      const { x, y, width, height } = this.box;
      const centre = { cx: (x + width / 2) * WIDTH, cy: (y + height / 2) * HEIGHT };
      const shapes =
        this.mode === "box"
          ? edged("rect", { x: x * WIDTH, y: y * HEIGHT, width: width * WIDTH, height: height * HEIGHT })
          : [...edged("circle", { ...centre, r: 20 }), svg("circle", { ...centre, r: 5, class: "dot" })];
      this.drawn.replaceChildren(...shapes);
    }

    at(event) {
      const area = this.surface.getBoundingClientRect();
      return [clamp((event.clientX - area.left) / area.width, 0, 1), clamp((event.clientY - area.top) / area.height, 0, 1)];
    }

    point(event) {
      const [x, y] = this.at(event);
      if (event.type === "pointerdown") {
        this.from = [x, y];
        this.surface.setPointerCapture(event.pointerId);
      }
      if (!this.from) return;
      const [fx, fy] = this.from;
      const size = { width: Math.abs(x - fx), height: Math.abs(y - fy) };
      const drags = this.mode === "box" && size.width > SMALLEST && size.height > SMALLEST;
      this.box = drags ? { x: Math.min(x, fx), y: Math.min(y, fy), ...size } : this.around(x, y);
      this.draw();
      if (event.type !== "pointerup") return;
      this.from = null;
      if (this.mode === "point") this.keep([x, y]);
    }

    around(x, y) {
      const { width, height } = USUAL;
      if (this.mode === "point") return { x: x - width / 2, y: y - height / 2, width, height };
      return { x: clamp(x - width / 2, 0, 1 - width), y: clamp(y - height / 2, 0, 1 - height), width, height };
    }

    key(event) {
      const way = WAYS[event.key];
      if (way) this.move(way, event.shiftKey);
      else if (event.key === "Enter") this.keep();
      else if (event.key === "Escape") this.close();
      else if (this.mode === "box" && this.form.elements.tag.options[Number(event.key) - 1]) {
        this.form.elements.tag.selectedIndex = Number(event.key) - 1;
      } else return;
      event.preventDefault();
      event.stopPropagation();
    }

    move([dx, dy], sizes) {
      const { x, y, width, height } = this.box;
      const edge = this.mode === "point" ? { x: width / 2, y: height / 2 } : { x: 0, y: 0 };
      if (sizes && this.mode === "box") {
        this.box.width = clamp(width + dx * STEP, STEP, 1 - x);
        this.box.height = clamp(height + dy * STEP, STEP, 1 - y);
      } else {
        this.box.x = clamp(x + dx * STEP, -edge.x, 1 - width + edge.x);
        this.box.y = clamp(y + dy * STEP, -edge.y, 1 - height + edge.y);
      }
      this.draw();
    }

    async keep(at) {
      const { x, y, width, height } = this.box;
      const fields = new FormData(this.form);
      fields.set("frame", this.shownFrame);
      const isBox = this.mode === "box";
      const [left, top] = isBox ? [x, y] : (at ?? [x + width / 2, y + height / 2]);
      fields.set("x", String(left));
      fields.set("y", String(top));
      if (isBox) {
        fields.set("width", String(width));
        fields.set("height", String(height));
      } else fields.set("milliseconds", String(Math.round(performance.now() - this.openedAt)));
      try {
        const said = await send(isBox ? this.form.action : this.form.dataset.clicks, fields);
        if (isBox) this.add(said.mark);
        else {
          clicked.add(said.frame);
          this.openers.point.hidden = true;
        }
        if (this.mode) this.close();
      } catch (error) {
        this.lost(error.message);
      }
    }

    lost(words) {
      this.form.querySelector("[data-mark-lost]").textContent = words;
    }

    add(mark) {
      if (!data.marks.some((known) => known.id === mark.id)) {
        data.marks.push({ id: mark.id, frame: mark.frame, box: mark.box, words: mark.tag_words });
        const item = document.createElement("li");
        item.dataset.mark = mark.id;
        const words = document.createElement("span");
        const tag = document.createElement("b");
        tag.textContent = mark.tag_words;
        words.append(tag, `, ${mark.where}${mark.note ? `: ${mark.note}` : ""}`);
        const form = document.createElement("form");
        form.method = "post";
        form.action = this.form.action + "/delete";
        const hidden = (name, value) => Object.assign(document.createElement("input"), { type: "hidden", name, value });
        const button = Object.assign(document.createElement("button"), { className: "linkish", textContent: "Delete" });
        form.append(hidden("csrfmiddlewaretoken", this.form.elements.csrfmiddlewaretoken.value), hidden("annotation", mark.id), button);
        item.append(words, form);
        this.list.querySelector("ul").append(item);
      }
      this.listed();
      this.drawOwn();
    }

    async remove(form) {
      const item = form.closest("[data-mark]");
      try {
        await send(form.action, new FormData(form));
      } catch (error) {
        item.querySelector("span").textContent = error.message;
        return;
      }
      data.marks = data.marks.filter((mark) => mark.id !== item.dataset.mark);
      item.remove();
      this.listed();
      this.drawOwn();
    }

    listed() {
      this.list.hidden = !this.list.querySelector("li");
    }
  }

  const drawings = data
    ? [...document.querySelectorAll(".replay [data-lane]")].filter((lane) => lane.querySelector("[data-draw]")).map((lane) => new Drawing(lane))
    : [];

  document.addEventListener("keydown", (event) => {
    if (singleKey(event) !== "m") return;
    const near = event.target.closest("[data-lane]");
    const chosen = document.querySelector("[name=shown-lane]:checked")?.value;
    const visible = drawings.filter((drawing) => drawing.frame.offsetParent);
    const drawing = visible.find((one) => one.root === near) ?? visible.find((one) => one.root.dataset.lane === chosen) ?? visible[0];
    drawing?.open("box");
    if (drawing) event.preventDefault();
  });
})();
