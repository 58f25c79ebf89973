import { Data, Effect, Option, Schedule, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Scope } from "../domain/access/Scope.ts"
import { ChangeSet, ChangeSetId, OnConflict, OperationResult } from "../domain/changeSets/ChangeSet.ts"
import { type ChangeSetRight, ChangeSets } from "../domain/changeSets/ChangeSets.ts"
import { receiveChangeSet } from "../domain/changeSets/Reception.ts"
import type { JsonText } from "../domain/json/Document.ts"
import type { StoreId } from "../domain/Store.ts"
import { Writes } from "../domain/Write.ts"
import { runJobs } from "./Jobs.ts"
import { showProgress } from "./import/Progress.ts"
import { openSource } from "./import/Source.ts"
import { argument, choice, command, group, json, limit, operatorContext, store, toggle, withHelp } from "./Options.ts"
import { print, printList } from "./Output.ts"

/** The file is not a valid change set. */
class InvalidChangeSet extends Data.TaggedError("InvalidChangeSet")<{ readonly lines: ReadonlyArray<string> }> {
  override get message() {
    return `The file is not a change set: ${this.lines.join("; ")}. Nothing was stored; correct it and run the command again`
  }
}

class ChangeSetFailed extends Data.TaggedError("ChangeSetFailed")<{ readonly set: ChangeSet }> {
  override get message() {
    return `The change set ${this.set.id} failed: ${this.set.failure ?? "see the log of the service"}`
  }
}

/** Operators see and apply all sets of a store. */
export const OPERATOR_RIGHT: ChangeSetRight = { scopes: Scope.literals, ownId: null }

export const decodeSet = Schema.decodeEffect(Schema.fromJsonString(ChangeSet))
const decodeSets = Schema.decodeEffect(Schema.fromJsonString(Schema.Array(ChangeSet)))
export const decodeResults = Schema.decodeEffect(Schema.fromJsonString(Schema.Array(OperationResult)))

const rowOf = ({ counts, createdAt, failure, id, mode, note, state, undoes }: ChangeSet) => ({
  id,
  state,
  mode,
  ...counts,
  createdAt,
  note,
  undoes,
  failure
})

const printSet = (json: boolean, text: JsonText) =>
  Effect.flatMap(Effect.orDie(decodeSet(text)), (set) => print(json, rowOf(set)))

const POLL = "200 millis"

/** Runs the jobs of a store until none works on a set, and shows its progress. */
export const settled = Effect.fnUntraced(function* (store: StoreId, { id, progress }: ChangeSet) {
  yield* runJobs(store)
  const sets = yield* ChangeSets
  let done = 0
  const size = progress.total > 0 ? Option.some(progress.total) : Option.none()
  yield* showProgress({ read: () => done, size }, () => done)
  return yield* sets.get(store, id, OPERATOR_RIGHT).pipe(
    Effect.flatMap((text) => Effect.orDie(decodeSet(text))),
    Effect.tap((set) => Effect.sync(() => (done = set.progress.done))),
    Effect.repeat({
      until: ({ state }) => state !== "previewing" && state !== "applying",
      schedule: Schedule.spaced(POLL)
    })
  )
}, Effect.scoped)

/** Runs the jobs of a store until none works on a set. Fails if the set failed. */
const succeeded = (store: StoreId, set: ChangeSet) =>
  Effect.filterOrFail(
    settled(store, set),
    ({ state }) => state !== "failed",
    (set) => new ChangeSetFailed({ set })
  )

const applyReady = Effect.fnUntraced(function* (store: StoreId, id: ChangeSetId, onConflict: OnConflict) {
  const sets = yield* ChangeSets
  const { perform } = yield* Writes
  const text = yield* perform(operatorContext(store), sets.apply(store, id, onConflict, OPERATOR_RIGHT, null))
  return yield* Effect.orDie(decodeSet(text))
})

const onConflict = choice(
  "on-conflict",
  OnConflict.literals,
  "Treatment of rows that changed after the preview. Default: skip"
).pipe(Flag.withDefault("skip"))
const wait = toggle("wait", "Wait until the work is done, and show the progress. This process takes part in the work")
const set = argument("set", ChangeSetId, "Change set id, from: change-sets list")

const create = command(
  "create",
  {
    store,
    file: Flag.File("file", { mustExist: true }).pipe(
      Flag.withDescription("Change set as JSON, or as JSON Lines in a file .ndjson or .jsonl")
    ),
    isApplied: toggle("apply", "Apply the set after its preview"),
    wait,
    json
  },
  function* ({ file, isApplied, json, store, wait }) {
    const sets = yield* ChangeSets
    const { perform } = yield* Writes
    const { bytes } = yield* openSource(Option.some(file))
    const id = yield* sets.begin(store)
    const receive = Effect.gen(function* () {
      const format = /\.(?:ndjson|jsonl)$/i.test(file) ? "ndjson" : "json"
      const { content, header } = yield* receiveChangeSet(bytes, format, true, {
        stage: (first, operations) => sets.stage(store, id, first, operations),
        update: () => {}
      })
      return yield* perform(operatorContext(store), sets.create(operatorContext(store), id, header, content))
    }).pipe(
      Effect.ensuring(sets.discard(store, id)),
      Effect.catchTag("BadRequest", ({ issues = [], reason }) =>
        Effect.fail(new InvalidChangeSet({ lines: issues.length === 0 ? [reason] : issues }))
      )
    )
    const created = yield* Effect.orDie(decodeSet(yield* receive))
    const previewed = wait || isApplied ? yield* succeeded(store, created) : created
    const applied = isApplied ? yield* applyReady(store, id, "skip") : previewed
    yield* print(json, rowOf(wait && isApplied ? yield* succeeded(store, applied) : applied))
  }
).pipe(
  withHelp({
    summary: "Create a change set from a file",
    details: "A server or worker makes its preview. Nothing changes before the set is applied.",
    examples: ["--store <id> --file set.ndjson --wait", "--store <id> --file set.json --apply --wait"]
  })
)

const list = command("list", { store, limit, json }, function* ({ json, limit, store }) {
  const sets = yield* ChangeSets
  const { items } = yield* sets.list(store, { limit, cursor: undefined }, OPERATOR_RIGHT)
  yield* printList(json, "changeSets", (yield* Effect.orDie(decodeSets(items))).map(rowOf))
}).pipe(withHelp({ summary: "List the change sets of a store, newest first", examples: ["--store <id>"] }))

const show = command("show", { set, store, json }, function* ({ json, set, store }) {
  const sets = yield* ChangeSets
  yield* printSet(json, yield* sets.get(store, set, OPERATOR_RIGHT))
}).pipe(withHelp({ summary: "Show a change set", examples: ["<set> --store <id>"] }))

const apply = command("apply", { set, store, onConflict, wait, json }, function* (options) {
  const started = yield* applyReady(options.store, options.set, options.onConflict)
  yield* print(options.json, rowOf(options.wait ? yield* succeeded(options.store, started) : started))
}).pipe(withHelp({ summary: "Apply a change set that is ready", examples: ["<set> --store <id> --wait"] }))

const cancel = command("cancel", { set, store, json }, function* ({ json, set, store }) {
  const sets = yield* ChangeSets
  const { perform } = yield* Writes
  yield* printSet(json, yield* perform(operatorContext(store), sets.cancel(store, set, OPERATOR_RIGHT)))
}).pipe(
  withHelp({
    summary: "Cancel a change set",
    details: "One that is being applied stops after its current batch.",
    examples: ["<set> --store <id>"]
  })
)

const undo = command("undo", { set, store, wait, json }, function* ({ json, set, store, wait }) {
  const sets = yield* ChangeSets
  const { perform } = yield* Writes
  const context = operatorContext(store)
  const undo = yield* perform(context, sets.undo(context, set, OPERATOR_RIGHT))
  const created = yield* Effect.orDie(decodeSet(undo))
  yield* print(json, rowOf(wait ? yield* succeeded(store, created) : created))
}).pipe(
  withHelp({
    summary: "Create a change set that undoes another one",
    details: "Apply it after its preview.",
    examples: ["<set> --store <id> --wait"]
  })
)

const results = command(
  "results",
  { set, store, isRefused: toggle("refused", "Only refused operations"), limit, json },
  function* ({ isRefused, json, limit, set, store }) {
    const sets = yield* ChangeSets
    const outcome = isRefused ? "refused" : undefined
    const { items } = yield* sets.results(store, set, { limit, cursor: undefined }, outcome, OPERATOR_RIGHT)
    yield* printList(json, "results", yield* Effect.orDie(decodeResults(items)))
  }
).pipe(
  withHelp({
    summary: "List the results of the operations of a change set",
    examples: ["<set> --store <id> --refused"]
  })
)

export const changeSets = group("change-sets", "Change many rows at once").pipe(
  Command.withSubcommands([create, list, show, apply, cancel, undo, results])
)
