/** Counts the changes of tools that an SDK hands out to its user. */
export class Changes {
  #count = 0;

  /** @type {Set<() => void>} */
  #waiting = new Set();

  /** Number of changes so far. */
  get count() {
    return this.#count;
  }

  /** Has one more. To be given to the SDK as a handler. */
  tell = () => {
    this.#count += 1;
    for (const wake of this.#waiting) wake();
  };

  /**
   * Waits until there were more than this.
   *
   * @param {number} count
   * @param {number} ms how long
   * @returns {Promise<boolean>}
   */
  async beyond(count, ms) {
    if (this.#count > count) return true;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve(this.#count > count);
      };
      const timer = setTimeout(end, ms);
      this.#waiting.add(end);
    });
  }
}
