import { Effect } from "effect"
import { useEffect, useId, useState } from "react"
import type { OpenForm } from "../../../../domain/access/Presence.ts"
import { type Dates, useDates } from "../../data/format.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { runtime, Service } from "../../data/service.ts"
import { useStoreId } from "../../data/store.ts"
import { uiTexts } from "../../sharedTexts.ts"
import { WarningBox } from "../layout/Page.tsx"
import css from "./Form.module.css"

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

/** Fields for which the other user's version is selected. */
export const useVersionChoices = <Field,>() => {
  const [chosen, setChosen] = useState<ReadonlySet<Field>>(new Set())
  const choose = (field: Field, isTheirs: boolean) => {
    const others = [...chosen].filter((one) => one !== field)
    setChosen(new Set(isTheirs ? [...others, field] : others))
  }
  return { chosen, choose }
}

interface VersionChoiceProps {
  /** Label of the field. */
  readonly name: string
  readonly yours: string
  readonly theirs: string
  readonly isTheirs: boolean
  readonly choose: (isTheirs: boolean) => void
}

/** Both versions of a field, to select one of them. */
export const VersionChoice = ({ choose, isTheirs, name, theirs, yours }: VersionChoiceProps) => {
  const group = useId()
  const version = (label: string, text: string, isChosen: boolean, chooseIt: () => void) => (
    <div className={css["version"]}>
      <label>
        <input type="radio" name={group} checked={isChosen} onChange={chooseIt} />
        {label}
      </label>
      <p>{text === "" ? uiTexts.versions.empty : text}</p>
    </div>
  )
  return (
    <fieldset>
      <legend>{name}</legend>
      <div className={css["versions"]}>
        {version(uiTexts.versions.yours, yours, !isTheirs, () => choose(false))}
        {version(uiTexts.versions.theirs, theirs, isTheirs, () => choose(true))}
      </div>
    </fieldset>
  )
}
