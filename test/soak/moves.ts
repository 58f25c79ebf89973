import { Effect, Redacted } from "effect"
import { CellName } from "../../src/domain/cells/Cells.ts"
import { addCell } from "../../src/layers/cells/GlobalTables.ts"
import { postgres } from "../../src/layers/sql/Postgres.ts"
import { openConnection } from "../bench/database.ts"
import { attempt } from "../support/postgres/Postmasters.ts"
import { auditDeliveries, countReception } from "../support/process/DeliveryAudit.ts"
import { badReceivers } from "../support/webhooks/BadReceivers.ts"
import { makeStores } from "./fixture.ts"
import { killableServer } from "./killableServer.ts"
import { makeMovesLoad } from "./movesLoad.ts"
import { findLeftBehind, findMisplaced, findWrongProducts } from "./movesPlaces.ts"
import type { Sizes } from "./options.ts"
import { waitFor } from "./patroni.ts"
import { type Command, startCommand, startServer, startWorkers } from "./processes.ts"
import { makeInvariants, printLine, withProgress } from "./report.ts"

/** Subscribed apps of the store. */
const FAN_OUT = 2
const WORKERS = 2

/** Seconds between a switch and the deletion in the source. The server must learn meanwhile that the store has moved. */
const CLEAN_AFTER = 4

/** Milliseconds in which a command must end once all servers run: a drain, and two starts of replication. */
const PATIENCE = 90_000

/** Line of the command at the start of each state, and milliseconds after it within which the kill happens. */
const STATES = [
  { state: "copying", line: /^copying: \d/m, within: 1500 },
  { state: "frozen", line: /^frozen/m, within: 60 },
  { state: "switched", line: /^switched: the cell/m, within: 500 },
  { state: "cleaned", line: /^switched: cleaning \w+$/m, within: 60 }
] as const
const VICTIMS = ["mover", "source", "target", "worker"] as const
const NAMES = ["main", "c2", "c3"]

type Ending = "resumed" | "aborted"

/** Combination of a round. The next pass resumes where this one aborts. */
const planOf = (round: number) => {
  const step = STATES[Math.floor(round / VICTIMS.length) % STATES.length] ?? STATES[0]
  const victim = VICTIMS[round % VICTIMS.length] ?? "mover"
  const parity = round + Math.floor(round / VICTIMS.length) + Math.floor(round / (VICTIMS.length * STATES.length))
  const ending: Ending = parity % 2 === 0 ? "aborted" : "resumed"
  return { ...step, victim, ending }
}

/** Waits until a command ends. Kills it and returns undefined if it does not. */
const awaitEnd = (command: Command) =>
  Effect.sync(command.code).pipe(
    Effect.delay("50 millis"),
    Effect.repeat({ until: (code) => code !== undefined }),
    Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.as(command.kill, undefined) })
  )

const between = (least: number, most: number) => Effect.sleep(least + Math.random() * (most - least))

/** Moves a store between three servers under load, and kills a process in each state of a move. */
export const killedMoves = ({ "move-rounds": rounds }: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("moves")
    const servers = yield* Effect.forEach(NAMES, (name) =>
      Effect.map(killableServer, (server) => ({ name, ...server }))
    )
    const serverOf = (name: string) => servers.find((server) => server.name === name) ?? servers[0]
    const [main] = servers
    if (main === undefined) return invariants.all
    const arrivals = new Map<string, number>()
    const receivers = yield* badReceivers((_, { headers, url = "" }) => {
      countReception(arrivals, [headers["webhook-id"]].flat()[0], url)
    })
    const [store] = yield* makeStores(main.url, 1, FAN_OUT, () => receivers.urlOf("slow"))
    const [neighbour] = yield* makeStores(main.url, 1, 0, () => receivers.urlOf("well"))
    if (store === undefined || neighbour === undefined) return invariants.all
    for (const { name, url } of servers.slice(1)) {
      yield* addCell({
        name: CellName.make(name),
        setting: "CELL_URL",
        url: Redacted.make(url),
        source: Redacted.make(main.url)
      }).pipe(Effect.provide(postgres({ url: Redacted.make(main.url), maxConnections: 2 })))
    }
    const settings = {
      CELLS: NAMES.slice(1).join(","),
      ...Object.fromEntries(servers.slice(1).map(({ name, url }) => [`CELL_${name.toUpperCase()}_URL`, url]))
    }
    const base = yield* startServer(main.url, settings)
    const loads = [yield* makeMovesLoad(base, store), yield* makeMovesLoad(base, neighbour)]
    const workers = yield* startWorkers(main.url, WORKERS, 64, settings)
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.delay(
          Effect.forEach(servers, ({ url }) => attempt(url, "update rate_windows set hits = '{}' where hits <> '{}'"), {
            concurrency: "unbounded"
          }),
          "1 second"
        )
      )
    )

    const move = (...args: ReadonlyArray<string>) =>
      startCommand(["stores", "move", "--store", store.storeId, ...args], { DATABASE_URL: main.url, ...settings })
    const rowsOf = (statement: string) => waitFor("main", attempt(main.url, statement))
    const stateNow = Effect.map(rowsOf(`select state from store_moves where store_id = '${store.storeId}'`), ([row]) =>
      String(row?.["state"])
    )
    const cellNow = Effect.map(rowsOf(`select cell from directory where store_id = '${store.storeId}'`), ([row]) =>
      String(row?.["cell"] ?? "main")
    )
    const lastSuccess = () =>
      Math.min(
        ...loads.flatMap(({ written, writers }) =>
          writers.map((writer) => written.findLast((one) => one.writer === writer)?.at ?? 0)
        )
      )
    /** Waits until all writers have succeeded since now. */
    const allWrite = Effect.suspend(() => {
      const since = performance.now()
      return waitFor(
        "all writers",
        Effect.sync(() => (lastSuccess() > since ? true : undefined))
      )
    })

    const counts = new Map<string, number>()
    const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1)
    const hung: Array<string> = []
    const failed: Array<string> = []
    const left: Array<string> = []
    let done = 0

    /** Resumes or aborts the move until it has ended. An abort is refused after the switch. */
    const end = Effect.fnUntraced(function* (to: string, ending: Ending) {
      let next = ending
      for (let tries = 0; ;) {
        if ((yield* stateNow) === "switched") yield* allWrite
        const command = yield* next === "aborted" ? move("--abort") : move("--cell", to, "--clean-after", "1")
        const code = yield* awaitEnd(command)
        const output = command.readOutput().trim()
        if (code === 0) return next
        if (code === undefined) hung.push(`${next}: ${output}`)
        if (output.includes("Another command")) {
          yield* Effect.sleep("200 millis")
          continue
        }
        if (output.includes("has taken over")) {
          next = "resumed"
          continue
        }
        tries += 1
        failed.push(`${done + 1}. ${next}: ${output}`)
        yield* printLine(`   failed: ${output.split("\n").slice(-3).join("; ")}`)
        if (tries === 3) return yield* Effect.die(new Error(`The move did not end: ${output}`))
        if (output.includes("differs")) next = "aborted"
      }
    })
    const one = Effect.scoped(
      Effect.gen(function* () {
        const { ending, line, state, victim, within } = planOf(done)
        const from = yield* cellNow
        const to = NAMES[(NAMES.indexOf(from) + 1 + (done % 2)) % NAMES.length] ?? "main"
        const startedAt = performance.now()
        const mover = yield* move("--cell", to, "--clean-after", String(CLEAN_AFTER))
        yield* waitFor(
          `the state ${state}`,
          Effect.delay(
            Effect.sync(() => (line.test(mover.readOutput()) || mover.code() !== undefined ? true : undefined)),
            1
          )
        )
        yield* between(0, within)
        const seen = yield* attempt(main.url, `select state from store_moves where store_id = '${store.storeId}'`)
        if (victim === "mover") yield* mover.kill
        else if (victim === "worker") yield* workers.killOne
        else {
          const server = serverOf(victim === "source" ? from : to)
          if (server !== undefined) yield* Effect.andThen(server.kill, Effect.andThen(between(100, 1500), server.start))
        }
        const code = yield* awaitEnd(mover)
        if (code === undefined) hung.push(`${done + 1}. ${state}, ${victim}: ${mover.readOutput().trim()}`)
        const ended = code === 0 || (yield* stateNow) === "cleaned" ? "went on" : yield* end(to, ending)
        const cell = yield* cellNow
        if (cell !== (ended === "aborted" ? from : to))
          failed.push(`${done + 1}. ${ended}, but the store is in ${cell}`)
        yield* allWrite
        left.push(...(yield* findLeftBehind(servers, store.storeId, cell)).map((what) => `${done + 1}. ${what}`))
        count(`kills of the ${victim}`)
        count(`kills in the state ${String(seen?.[0]?.["state"])}`)
        count(`moves that ${ended === "went on" ? ended : `were ${ended}`}`)
        done += 1
        yield* printLine(
          `${done}. ${from} to ${to}: ${victim} killed in ${state} (${String(seen?.[0]?.["state"])}), ${ended} ` +
            `(${((performance.now() - startedAt) / 1000).toFixed(1)} s)${left.length > 0 ? `; left ${left.length}` : ""}`
        )
      })
    )
    const stop = Effect.forEach(loads, (load) => load.stop, { discard: true })
    const moving = Effect.ensuring(Effect.repeat(one, { until: () => done >= rounds }), stop)
    const progress = () =>
      `moves ${done}/${rounds}, writes ${loads.flatMap(({ written }) => written).length}, deliveries ${arrivals.size}`
    yield* withProgress(
      progress,
      Effect.all([moving, ...loads.map((load) => load.run)], { concurrency: "unbounded", discard: true })
    )

    const cell = yield* cellNow
    const db = yield* openConnection(serverOf(cell)?.url ?? main.url)
    yield* waitFor(
      "the last deliveries",
      Effect.promise(async () => {
        const { rows } = await db.query("select 1 from deliveries where finished_at is null limit 1")
        return rows.length === 0 ? rows : undefined
      })
    )
    const ends = yield* Effect.forEach(loads, (load) => load.finish)
    const audit = yield* Effect.promise(() => auditDeliveries(db, arrivals))
    invariants.atLeast("moves with a kill", done, rounds)
    for (const [what, n] of [...counts].toSorted()) invariants.fact(what, String(n))
    invariants.none("commands that did not end", hung)
    invariants.none("resumptions and aborts that failed", failed)
    invariants.none("left behind by an ended move", left)
    invariants.none("rows of the store outside its cell", yield* findMisplaced(servers, store.storeId, cell))
    const all = <A>(of: (index: number) => ReadonlyArray<A>) => loads.flatMap((_, index) => of(index))
    const written = loads.flatMap((load) => load.written)
    invariants.fact("acknowledged writes", String(written.length))
    invariants.fact("deletes among them", String(written.filter(({ kind }) => kind === "deleted").length))
    invariants.fact("changes read by cursor", String(ends.reduce((sum, { changes }) => sum + changes, 0)))
    invariants.none(
      "acknowledged writes that the feed lacks",
      all((n) => ends[n]?.missing ?? [])
    )
    invariants.none(
      "changes without a write, or doubled",
      all((n) => ends[n]?.surplus ?? [])
    )
    invariants.none(
      "positions that do not rise",
      all((n) => ends[n]?.unsorted ?? [])
    )
    invariants.none(
      "ids below an earlier one",
      all((n) => ends[n]?.unordered ?? [])
    )
    invariants.none(
      "products that differ from the acknowledged writes",
      yield* findWrongProducts(db, loads[0]?.written ?? [], store.storeId)
    )
    invariants.fact("keys sent again", String(ends.reduce((sum, { replayed }) => sum + replayed, 0)))
    invariants.none(
      "keys that do not replay their response",
      all((n) => ends[n]?.changed ?? [])
    )
    invariants.none(
      "responses other than 2xx and 503 with Retry-After, or connection errors",
      all((n) => loads[n]?.clients.bad ?? [])
    )
    for (const { clients } of loads) {
      for (const [status, n] of clients.seen) invariants.fact(`responses ${status}`, String(n))
      invariants.fact("longest request", `${(clients.longest() / 1000).toFixed(1)} s`)
    }
    invariants.deliveries(audit)
    invariants.none("unexpected exits of workers", workers.unexpectedExits())
    return invariants.all
  }).pipe(Effect.scoped, Effect.orDie)
