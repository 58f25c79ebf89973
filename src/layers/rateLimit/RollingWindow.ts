import { WINDOW_SECONDS } from "../../domain/RateLimit.ts"
import { type Fragment, sql } from "../sql/Statement.ts"

const WINDOW_MICROS = WINDOW_SECONDS * 1_000_000

/**
 * SQL for the number of admitted calls of a row with `calls`. Rows with the same `key` share a window, and those with a
 * lower `place` come first. The number is 0 if none were counted.
 */
export const admittedCalls = (key: ReadonlyArray<string>): Fragment =>
  sql.literal(
    `greatest(0, least(calls, coalesce(granted, 0) + calls - sum(calls) over (partition by ${key.join(", ")} order by place)))::integer`
  )

/**
 * CTEs that count requests in exact rolling windows. A row of `table` has the times of the last admitted requests,
 * oldest first. The CTE `wanted` selects rows by `key`, with `n` new requests and the limit `most`. The CTE `decided`
 * returns the number of admitted requests (`granted`) and the seconds until the next one (`seconds`). It has no row for
 * a window that another session has locked; {@link retryLockedWindows} repeats those. It has the columns `others` of the
 * row too.
 *
 * - `locked` skips locked windows, so the statement, which serves many tenants, never waits.
 * - `timed` reads the clock after the lock, in a separate query. An earlier reading could precede requests that another
 *   session has counted meanwhile. If the clock was set back, future times still count, but those more than a window ahead
 *   are dropped: otherwise the window would admit nothing until the clock has caught up.
 * - `aged` counts the times that have left the window.
 */
export const rollingWindowCtes = (
  table: string,
  key: ReadonlyArray<string>,
  others: ReadonlyArray<string> = []
): Fragment => {
  const columns = key.join(", ")
  const kept = others.map((column) => `, ${column}`).join("")
  return sql.literal(`
    locked as materialized (
      select ${columns}, w.hits, wanted.n, wanted.most${kept}
      from ${table} w join wanted using (${columns})
      for no key update of w skip locked
    ), timed as materialized (
      select ${columns}, n, most${kept}, hits, greatest(clock, hits[cardinality(hits)]) as now
      from (
        select ${columns}, n, most${kept}, clock, case when hits[cardinality(hits)] > clock + ${WINDOW_MICROS}
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
