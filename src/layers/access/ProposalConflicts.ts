import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { type ProposalId, ProposalOutdated } from "../../domain/access/Proposals.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { parseMembers } from "../../domain/json/StoredDocument.ts"
import { isOverlap, type Members } from "../../domain/journal/Conflicts.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Change } from "../../domain/Write.ts"
import { currentDocument, currentVersion } from "../journal/CatalogTables.ts"
import { laterChanges } from "../journal/LaterChanges.ts"
import { MembersText } from "../sql/Documents.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"

/** A resource that a proposal is based on, with its proposed and its current version. */
type BasedOn = Pick<ProposalOutdated, "resource" | "id" | "proposed" | "current">

/** Reads resources that a proposal is based on, with their states if their versions are others than proposed. */
const readStates = rowsReader(
  Schema.Struct({
    ...Struct.pick(ProposalOutdated.fields, ["resource", "id", "proposed", "current"]),
    state: Schema.NullOr(MembersText)
  })
)

/** Returns the resources that changes were based on, with their versions. Created resources have none. */
export const versionsBefore = (changes: ReadonlyArray<Change>) =>
  changes.flatMap(({ after, before, resource, resourceId, version }) =>
    before === null || version === null
      ? []
      : [{ resource, id: resourceId, version: after === null ? version : version - 1 }]
  )

/** Conflicts of proposals with later changes of others. */
export const proposalConflicts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { conflictsSince } = yield* laterChanges

  /** Fails if others changed, between two versions of a resource, what the proposal touches. */
  const requireUntouched = Effect.fnUntraced(function* (
    store: StoreId,
    proposal: ProposalId,
    { current, id, proposed, resource }: BasedOn,
    touched: Members
  ) {
    if (current === null) return yield* new ProposalOutdated({ resource, id, proposed, current, members: null })
    const findConflicts = conflictsSince(store, proposal, null)
    const [members = null] = yield* findConflicts([{ id, version: proposed, current, touched }])
    if (isOverlap(members)) yield* new ProposalOutdated({ resource, id, proposed, current, members })
  })

  /** Fails if others changed what the proposal touches. Returns the current versions of the resources. */
  const requireCurrent = Effect.fnUntraced(function* (
    store: StoreId,
    proposal: ProposalId,
    touchedBy: (state: JsonObject) => Members
  ) {
    const states = yield* readStates(sql`
      select g.resource, g.id, g.version as proposed, now.current, now.state
      from proposals p, json_to_recordset(p.based_on) as g (resource text, id uuid, version integer), lateral (
        select current, case when current <> g.version then
          ${currentDocument(sql`p.store_id`, sql`g.resource`, sql`g.id`)}
        end as state
        from (select ${currentVersion(sql`p.store_id`, sql`g.resource`, sql`g.id`)} as current offset 0) as found
      ) as now
      where p.store_id = ${store} and p.id = ${proposal}
    `)
    for (const { state, ...one } of states) {
      if (one.current !== one.proposed) yield* requireUntouched(store, proposal, one, touchedBy(state ?? {}))
    }
    return states
  }, orDefect)

  /** Fails if another write changed, since the versions were read, what the proposal touches. */
  const requireSame = Effect.fnUntraced(function* (
    store: StoreId,
    proposal: ProposalId,
    read: ReadonlyArray<BasedOn>,
    touchedBy: (state: JsonObject) => Members,
    changes: ReadonlyArray<Change>
  ) {
    const versions = versionsBefore(changes)
    for (const { current: last, id, proposed, resource } of read) {
      const current = versions.find((one) => one.id === id)?.version ?? last
      const before = changes.find(({ resourceId }) => resourceId === id)?.before?.json
      if (current === last || before === undefined) continue
      const touched = touchedBy(parseMembers(before))
      yield* requireUntouched(store, proposal, { resource, id, proposed, current }, touched)
    }
  })

  return { requireCurrent, requireSame }
})
