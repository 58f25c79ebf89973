import { Record } from "effect"
import { parseArgs } from "node:util"

/** Subjects with their parts. */
const SUBJECTS = {
  webhooks: ["kills", "receivers", "dead"],
  import: ["imports"],
  oauth: ["oauth"],
  properties: ["properties"],
  csv: ["csv"],
  migrations: ["migrations"],
  failover: ["failover"],
  moves: ["moves"]
} as const
export type Part = (typeof SUBJECTS)[keyof typeof SUBJECTS][number]

/** Sizes, each an option of its name. */
const DEFAULTS = {
  /** Kills of workers, deliveries meanwhile, and then deliveries without faults. */
  kills: 500,
  deliveries: 200_000,
  calm: 200_000,
  /** Average seconds between two kills. */
  "kill-seconds": 1.6,
  workers: 4,
  /** Endpoints of the parts `kills` and `dead`. */
  endpoints: 300,
  /** Requests to each kind of bad receiver, their apps, and concurrent requests of the worker. */
  requests: 10_000,
  apps: 1000,
  slots: 1000,
  /** Seconds with one dead endpoint of a hundred, and writes per second. Five apps receive each. */
  "dead-seconds": 600,
  "dead-rate": 20,
  /** Kills of imports, and rows of their file. */
  "import-kills": 50,
  "import-rows": 100_000,
  /** Number of codes, and of refresh tokens, that are exchanged many times at once. */
  "oauth-rounds": 300,
  /** Runs of all property tests, each with a random seed. */
  "property-rounds": 20,
  /** Rows of each table while it is migrated. */
  "migration-rows": 1_000_000,
  /** Kills of the primary of a Patroni cluster. */
  "failover-kills": 20,
  /** Moves of a store, each with a kill. Sixteen have each process killed in each state once. */
  "move-rounds": 32
}

export type Sizes = typeof DEFAULTS

export interface Options {
  readonly parts: ReadonlyArray<Part>
  /** Folder of the part `csv`. */
  readonly folder: string
  readonly sizes: Readonly<Sizes>
}

const USAGE = `usage: npm run soak -- webhooks [${SUBJECTS.webhooks.join(" | ")}] | import | oauth | properties | migrations | failover | moves | csv FOLDER ${Object.entries(
  DEFAULTS
)
  .map(([name, size]) => `[--${name}=${size}]`)
  .join(" ")}`

const options = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, { type: "string" as const }]))

const isSubject = (text: string | undefined): text is keyof typeof SUBJECTS =>
  text !== undefined && Object.hasOwn(SUBJECTS, text)

/** Parses the arguments of `npm run soak -- <subject> [part]`. Parts and sizes default to all and full. */
export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { positionals, values } = parseArgs({ args: [...args], allowPositionals: true, options })
  const [subject, second, ...more] = positionals
  const all: ReadonlyArray<Part> = isSubject(subject) ? SUBJECTS[subject] : []
  const folder = subject === "csv" ? second : undefined
  const part = subject === "csv" ? undefined : second
  const parts = all.filter((known) => part === undefined || known === part)
  const isMissing = subject === "csv" && folder === undefined
  if (parts.length === 0 || more.length > 0 || isMissing) throw new Error(USAGE)
  const size = (name: keyof Sizes) => {
    const value = Number(values[name] ?? DEFAULTS[name])
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0\n${USAGE}`)
    return value
  }
  return {
    parts,
    folder: folder ?? "",
    sizes: Record.map(DEFAULTS, (_, name) => size(name))
  }
}
