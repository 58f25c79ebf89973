import { Predicate } from "effect"
import { useMemo, useState } from "react"
import { type Delivery, DeliveryState } from "../../../domain/webhooks/Webhook.ts"
import type { AppId, EventId } from "../../../rpc/Client.ts"
import { number, time } from "../../data/Format.ts"
import { useList } from "../../data/Lists.ts"
import { Badge, type Tone } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { SelectField } from "../../ui/Field.tsx"
import { Card, Row, Stack } from "../../ui/Page.tsx"
import { Answered, Empty } from "../../ui/States.tsx"
import { type Column, More, Table } from "../../ui/Table.tsx"
import css from "./Apps.module.css"
import { DeliveryDetails } from "./DeliveryDetails.tsx"

/** How a delivery stands, in a word. */
const STATE_WORDS: Readonly<Record<DeliveryState, readonly [word: string, tone: Tone]>> = {
  pending: ["Waits", "accent"],
  delivered: ["Delivered", "good"],
  dead: ["Given up", "alert"],
  skipped: ["Left out", "plain"],
  canceled: ["Canceled", "plain"],
  held: ["Held by the store", "warn"]
}

const State = ({ state }: { readonly state: DeliveryState }) => {
  const [word, tone] = STATE_WORDS[state]
  return <Badge tone={tone}>{word}</Badge>
}

const columnsOf = (open: (delivery: Delivery) => void): ReadonlyArray<Column<Delivery>> => [
  { name: "Event", cell: ({ kind }) => <code>{kind}</code> },
  { name: "Happened", cell: ({ createdAt }) => time(createdAt) },
  { name: "State", cell: (one) => <State {...one} /> },
  { name: "Requests", isNumber: true, cell: ({ attempts }) => number(attempts) },
  {
    name: "Next one",
    cell: ({ attempts, nextAt }) => (nextAt === null || attempts === 0 ? "–" : time(nextAt))
  },
  {
    name: "Look at it",
    isNameHidden: true,
    cell: (one) => (
      <Button kind="quiet" aria-label={`Requests of ${one.eventId}`} onClick={() => open(one)}>
        Requests
      </Button>
    )
  }
]

/** What an app was sent, the newest first. */
export const Deliveries = ({ appId }: { readonly appId: AppId }) => {
  const [state, setState] = useState<DeliveryState>()
  const [open, setOpen] = useState<Delivery>()
  const columns = useMemo(() => columnsOf(setOpen), [])
  const { asked, items, more } = useList(
    ["app", appId, "deliveries", state ?? "all"],
    (cursor: { readonly cursor?: EventId }) => (client) =>
      client.appDeliveries.list({ id: appId, ...cursor, ...(state === undefined ? {} : { state }) })
  )
  if (Predicate.isTagged(asked.error, "WebhookNotFound"))
    return (
      <Empty title="The app has no webhook">
        <p>Set one, and what it is sent stands here for 30 days.</p>
      </Empty>
    )
  return (
    <Stack>
      <Row>
        <div className={css["filter"]}>
          <SelectField
            label="Show"
            value={state ?? ""}
            onChange={({ target }) => setState(DeliveryState.literals.find((one) => one === target.value))}
          >
            <option value="">All deliveries</option>
            {DeliveryState.literals.map((one) => (
              <option key={one} value={one}>
                {STATE_WORDS[one][0]}
              </option>
            ))}
          </SelectField>
        </div>
        <Button isBusy={asked.isRefetching} onClick={() => void asked.refetch()}>
          Refresh
        </Button>
      </Row>
      <Answered asked={{ data: items, error: asked.error, refetch: asked.refetch }}>
        {(deliveries) =>
          deliveries.length === 0 && !more.hasMore ? (
            <Empty title={state === undefined ? "Nothing was sent yet" : "No delivery stands so"}>
              <p>When something happens in a store that has the app, it stands here.</p>
            </Empty>
          ) : (
            <Card>
              <Table
                caption="Deliveries"
                rows={deliveries}
                keyOf={({ eventId, installationId }) => `${eventId} ${installationId}`}
                columns={columns}
              />
              <More {...more} />
            </Card>
          )
        }
      </Answered>
      {open === undefined ? undefined : (
        <DeliveryDetails appId={appId} delivery={open} close={() => setOpen(undefined)} />
      )}
    </Stack>
  )
}
