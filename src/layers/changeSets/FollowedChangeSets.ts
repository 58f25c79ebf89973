import { type Cause, Context, Effect, Layer, Queue, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { ChangeSetId, ChangeSetState } from "../../domain/changeSets/ChangeSet.ts"
import { MAX_FOLLOWERS, TooManyFollowers } from "../../domain/journal/Changes.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import type { StoreId } from "../../domain/Store.ts"
import { makeOutageRetry } from "../OutageRetry.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { changeSetJson } from "./StoredChangeSet.ts"

/** Interval between polls. One statement serves all followers of the process. */
const POLL_INTERVAL = "300 millis"

/** Follower of a change set. A slow one skips states, and receives the newest. */
interface Follower {
  readonly storeId: StoreId
  readonly id: ChangeSetId
  readonly queue: Queue.Queue<JsonText, Cause.Done>
  /** State that was sent last. */
  sent: JsonText
}

const readSets = rowsReader(Schema.Struct({ id: Schema.toType(ChangeSetId), json: Schema.String }))

const decodeState = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ state: ChangeSetState })))

/** True if no job of the set runs or is scheduled. */
const isSettled = (json: JsonText) => !["previewing", "scheduled", "applying"].includes(decodeState(json).state)

/** Change sets whose states are streamed. */
export class FollowedChangeSets extends Context.Service<FollowedChangeSets>()("layers/changeSets/FollowedChangeSets", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const followers = new Set<Follower>()

    const listSets = (sets: ReadonlyArray<Pick<Follower, "storeId" | "id">>) =>
      readSets(sql`
        select s.id, ${changeSetJson} as json
        from (
          select distinct * from unnest(
            ${plainArray(sets.map(({ storeId }) => storeId))}::uuid[], ${plainArray(sets.map(({ id }) => id))}::uuid[]
          ) as followed (store_id, id)
        ) as followed, lateral (
          select * from change_sets where store_id = followed.store_id and id = followed.id limit 1
        ) as s
      `)

    const poll = Effect.gen(function* () {
      // Followers that enter during the statement have newer states than its answer.
      const polled = [...followers]
      if (polled.length === 0) return
      const found = new Map((yield* listSets(polled)).map(({ id, json }) => [id, json]))
      for (const follower of polled) {
        const json = found.get(follower.id)
        if (json === follower.sent) continue
        if (json === undefined) Queue.endUnsafe(follower.queue)
        else Queue.offerUnsafe(follower.queue, (follower.sent = json))
      }
    }).pipe(orDefect)
    yield* makeOutageRetry("Followers of change sets")(poll).pipe(
      Effect.andThen(Effect.sleep(POLL_INTERVAL)),
      Effect.forever,
      Effect.forkScoped
    )

    const enter = Effect.fnUntraced(function* (storeId: StoreId, id: ChangeSetId, sent: JsonText) {
      if ([...followers].filter((one) => one.storeId === storeId).length >= MAX_FOLLOWERS) {
        return yield* new TooManyFollowers()
      }
      const queue = yield* Queue.sliding<JsonText, Cause.Done>(1)
      const follower: Follower = { storeId, id, queue, sent }
      followers.add(follower)
      return follower
    })

    return {
      /** Streams the given state of a set and each later one, until no job works on the set. */
      follow: (storeId: StoreId, id: ChangeSetId, json: JsonText): Stream.Stream<JsonText, TooManyFollowers> =>
        Effect.acquireRelease(enter(storeId, id, json), (follower) =>
          Effect.sync(() => followers.delete(follower))
        ).pipe(
          Effect.map(({ queue }) => Stream.concat(Stream.succeed(json), Stream.fromQueue(queue))),
          Stream.unwrap,
          Stream.takeUntil(isSettled)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
