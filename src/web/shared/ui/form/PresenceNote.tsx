import { Effect } from "effect"
import { useEffect, useState } from "react"
import type { OpenForm } from "../../../../domain/access/Presence.ts"
import { type Dates, useDates } from "../../data/dates.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { runtime, Service } from "../../data/service.ts"
import { useStoreId } from "../../data/store.ts"
import { WarningBox } from "../layout/Page.tsx"
import { uiTexts } from "../uiTexts.ts"

/** Milliseconds between announcements, which a hidden page pauses. */
const ANNOUNCE_MILLIS = 20_000

const DAY_MILLIS = 86_400_000

/** Time of day, with the date if it is not of the last day. */
const since = (openedAt: string, { clockSpan, time }: Dates) =>
  Date.now() - Date.parse(openedAt) < DAY_MILLIS ? clockSpan(openedAt, openedAt) : time(openedAt)

/** Announces that the member has a form open, and names the other members who do. */
export const PresenceNote = ({ id, kind }: OpenForm) => {
  const storeId = useStoreId()
  const dates = useDates()
  // Each opened form announces itself at once, also if its page was open shortly before.
  const [opening] = useState(() => crypto.randomUUID())
  const { data = [] } = useRpcQuery(
    [storeId, "presence", kind, id, opening],
    (client) => client.presence.announce({ storeId, kind, id, isOpen: true }),
    { refetchInterval: ANNOUNCE_MILLIS }
  )
  useEffect(
    () => () => {
      const leave = Effect.flatMap(Service, (client) => client.presence.announce({ storeId, kind, id, isOpen: false }))
      runtime.runFork(Effect.ignore(leave, { log: "Debug" }))
    },
    [storeId, kind, id]
  )
  return data.length === 0 ? undefined : (
    <WarningBox>
      <output>
        {data.map(({ name, openedAt }) => uiTexts.presence.isOpen(name, since(openedAt, dates))).join(" ")}
      </output>
    </WarningBox>
  )
}
