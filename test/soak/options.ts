import { parseArgs } from "node:util"

/** What there is to break, and in which parts. */
const SUBJECTS = {
  webhooks: ["kills", "receivers", "dead"],
  import: ["imports"],
  changes: ["changes"],
  oauth: ["oauth"],
  properties: ["properties"]
} as const
export type Part = (typeof SUBJECTS)[keyof typeof SUBJECTS][number]

/** Sizes, each an option of its name. */
const DEFAULTS = {
  /** Workers killed, and deliveries while they are; then as many deliveries without faults as `calm` says. */
  kills: 500,
  deliveries: 200_000,
  calm: 200_000,
  /** Seconds between two kills on the average. */
  "kill-seconds": 1.6,
  workers: 4,
  /** Endpoints of the parts `kills` and `dead`. */
  endpoints: 300,
  /** Requests to each kind of bad receiver, spread over so many apps, by a worker that makes so many at once. */
  requests: 10_000,
  apps: 1000,
  slots: 1000,
  /** Seconds with one dead endpoint among a hundred, and writes a second meanwhile; five apps are told of each. */
  "dead-seconds": 600,
  "dead-rate": 20,
  /** Imports killed, and rows of their file. */
  "import-kills": 50,
  "import-rows": 100_000,
  /** Connections of followers cut, and kills of the server that they follow. */
  "change-cuts": 100,
  "change-kills": 20,
  /** Codes, and as many refresh tokens, that are each presented many times at once. */
  "oauth-rounds": 300,
  /** Runs of all property tests, each with a random seed. */
  "property-rounds": 20
}

export type Sizes = typeof DEFAULTS

export interface Options {
  readonly parts: ReadonlyArray<Part>
  readonly sizes: Readonly<Sizes>
}

const USAGE = `usage: npm run soak -- webhooks [${SUBJECTS.webhooks.join(" | ")}] | import | changes | oauth | properties ${Object.entries(
  DEFAULTS
)
  .map(([name, size]) => `[--${name}=${size}]`)
  .join(" ")}`

const options = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, { type: "string" as const }]))

const isSubject = (text: string | undefined): text is keyof typeof SUBJECTS =>
  text !== undefined && Object.hasOwn(SUBJECTS, text)

/** `npm run soak -- webhooks`, `import`, `changes`, `oauth` or `properties`: every part in its full size, unless one is named or a size is given. */
export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { positionals, values } = parseArgs({ args: [...args], allowPositionals: true, options })
  const [subject, part, ...more] = positionals
  const all: ReadonlyArray<Part> = isSubject(subject) ? SUBJECTS[subject] : []
  const parts = all.filter((known) => part === undefined || known === part)
  if (parts.length === 0 || more.length > 0) throw new Error(USAGE)
  const size = (name: keyof Sizes) => {
    const given = Number(values[name] ?? DEFAULTS[name])
    if (!(given > 0)) throw new Error(`--${name} must be a number above 0\n${USAGE}`)
    return given
  }
  return {
    parts,
    sizes: {
      kills: size("kills"),
      deliveries: size("deliveries"),
      calm: size("calm"),
      "kill-seconds": size("kill-seconds"),
      workers: size("workers"),
      endpoints: size("endpoints"),
      requests: size("requests"),
      apps: size("apps"),
      slots: size("slots"),
      "dead-seconds": size("dead-seconds"),
      "dead-rate": size("dead-rate"),
      "import-kills": size("import-kills"),
      "import-rows": size("import-rows"),
      "change-cuts": size("change-cuts"),
      "change-kills": size("change-kills"),
      "oauth-rounds": size("oauth-rounds"),
      "property-rounds": size("property-rounds")
    }
  }
}
