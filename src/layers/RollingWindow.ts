import { WINDOW_SECONDS } from "../domain/RateLimit.ts"
import { type Fragment, sql } from "./sql/Statement.ts"

const WINDOW_MICROS = WINDOW_SECONDS * 1_000_000

/**
 * How many of the `calls` of a row were granted, where the rows with the same `key` share a window and those of lower
 * `place` come first; 0 where none were counted.
 */
export const admittedCalls = (key: ReadonlyArray<string>): Fragment =>
  sql.literal(
    `greatest(0, least(calls, coalesce(granted, 0) + calls - sum(calls) over (partition by ${key.join(", ")} order by place)))::integer`
  )

/**
 * The steps of a statement that counts requests in exact rolling windows. A row of `table` holds the instants of the last
 * requests that it admitted, oldest first, and `wanted` names rows by `key`, with `n` requests that come at once and the
 * `most` that any window may hold. `decided` says how many of them were `granted`, and in how many seconds the next one
 * would be (`seconds`). It has no row for a window that another session holds: {@link retryLockedWindows} asks again.
 *
 * locked: a window that another session holds is skipped. So the statement, which serves many tenants, never waits.
 * timed: the clock is read once the lock is held, in a query of its own. Read before, a request could be counted earlier
 * than one that another session counted meanwhile. It never runs backwards: where it was set back, hits of the future keep the window shut. Those
 * farther ahead than a window are dropped, or it would be shut until the clock has caught up.
 * aged: how many hits have left the window.
 */
export const rollingWindowCtes = (table: string, key: ReadonlyArray<string>): Fragment => {
  const columns = key.join(", ")
  return sql.literal(`
    locked as materialized (
      select ${columns}, w.hits, wanted.n, wanted.most
      from ${table} w join wanted using (${columns})
      for no key update of w skip locked
    ), timed as materialized (
      select ${columns}, n, most, hits, greatest(clock, hits[cardinality(hits)]) as now
      from (
        select ${columns}, n, most, clock, case when hits[cardinality(hits)] > clock + ${WINDOW_MICROS}
          then array(select hit from unnest(hits) as hit where hit <= clock + ${WINDOW_MICROS} order by hit) else hits
        end as hits
        from (select *, clock_micros() as clock from locked) as read
      ) as kept
    ), aged as materialized (
      select *, width_bucket(now - ${WINDOW_MICROS}, hits) as gone from timed
    ), granting as materialized (
      select *, greatest(0, least(n, most + gone - cardinality(hits))) as granted from aged
    ), decided as materialized (
      select *, ceil(
        (coalesce(hits[cardinality(hits) + granted + 1 - most], now) + ${WINDOW_MICROS} - now) / 1000000.0
      )::integer as seconds
      from granting
    ), counted as (
      update ${table} w
      set hits = (d.hits || array_fill(d.now, array[d.granted]))[
        greatest(d.gone, cardinality(d.hits) + d.granted - d.most) + 1:
      ]
      from decided d
      where ${key.map((column) => `w.${column} = d.${column}`).join(" and ")} and d.granted > 0
    )
  `)
}
