// What a judge has done, kept in the browser: for each index the queries, and for each query the grades.

export class Store {
  constructor(index) {
    this.session = `aboutness.judge ${JSON.stringify(index)}`;
    this.prefix = `${this.session} `;
  }

  /** Return the queries and settings of the last time, or null. */
  lastSession() {
    return this.#read(this.session);
  }

  /** Return the queries that were there the last time. */
  queries() {
    const { queries } = this.lastSession() ?? {};
    return Array.isArray(queries) ? queries.filter((one) => typeof one?.id === "string" && typeof one?.text === "string") : [];
  }

  keepSession(session) {
    localStorage.setItem(this.session, JSON.stringify(session));
  }

  /** Return the grades of a query, by document. */
  grades(query) {
    return new Map(this.#read(this.prefix + query) ?? []);
  }

  keepGrades(query, grades) {
    if (grades.size) localStorage.setItem(this.prefix + query, JSON.stringify([...grades]));
    else localStorage.removeItem(this.prefix + query);
  }

  /** Return all queries that have grades, with these. */
  all() {
    const names = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    return names.map((key) => [key.slice(this.prefix.length), new Map(this.#read(key) ?? [])]);
  }

  forget() {
    for (const key of Object.keys(localStorage)) {
      if (key === this.session || key.startsWith(this.prefix)) localStorage.removeItem(key);
    }
  }

  #read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null; // not ours, or of another version
    }
  }
}
