import { useState } from "react"
import { SECRET_OVERLAP } from "../../../domain/access/Apps.ts"
import { day, time } from "../../data/Format.ts"
import { useWrite } from "../../data/Queries.ts"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Dialog.tsx"
import { SelectField } from "../../ui/Field.tsx"
import { Card, Row, Stack } from "../../ui/Page.tsx"
import { Secret } from "../../ui/Secret.tsx"
import { Table } from "../../ui/Table.tsx"
import type { App } from "./AppDraft.ts"

/** For how long the secret before goes on, in hours and in words. */
const OVERLAPS = [
  [SECRET_OVERLAP.usual, "One day"],
  [168, "One week"],
  [SECRET_OVERLAP.most, "30 days"],
  [0, "Not at all: it leaked"]
] as const

/** The secrets of an app: when they were made, and another in the place of the newest. */
export const ClientSecret = ({ app }: { readonly app: App }) => {
  const [overlapHours, setOverlapHours] = useState<number>(SECRET_OVERLAP.usual)
  const [isAsking, setAsking] = useState(false)
  const rotating = useWrite({
    write: (client, hours: number, idempotencyKey) =>
      client.apps.rotateSecret({ idempotencyKey, id: app.id, overlapHours: hours }),
    touches: [["app", app.id]],
    done: () => setAsking(false)
  })
  const secret = rotating.data?.clientSecret
  return (
    <Stack>
      {typeof secret === "string" ? (
        <Card title="Your new secret">
          <Secret
            label="Client secret"
            value={secret}
            hint="It is shown this once. Put it in the place of the one before, then check that tokens are still renewed."
          />
        </Card>
      ) : undefined}
      <Card title="Secrets that are good">
        <Table
          caption="Secrets that are good"
          rows={app.secrets}
          keyOf={({ id }) => id}
          columns={[
            { name: "Made", cell: ({ createdAt }) => day(createdAt) },
            { name: "Good until", cell: ({ endsAt }) => (endsAt === null ? "It is replaced" : time(endsAt)) }
          ]}
        />
      </Card>
      <Card title="Make another">
        <SelectField
          label="The one before goes on for"
          hint="So that no server of yours fails before it has the new one. Two are good at most."
          value={overlapHours}
          onChange={({ target }) => setOverlapHours(Number(target.value))}
        >
          {OVERLAPS.map(([hours, words]) => (
            <option key={hours} value={hours}>
              {words}
            </option>
          ))}
        </SelectField>
        <Row>
          <Button onClick={() => setAsking(true)}>Make a new secret</Button>
        </Row>
      </Card>
      <Confirm
        title="Make a new secret?"
        action="Make it"
        isOpen={isAsking}
        close={() => {
          setAsking(false)
          rotating.reset()
        }}
        confirm={() => rotating.mutate(overlapHours)}
        isBusy={rotating.isPending}
        error={rotating.error}
      >
        <p>
          {overlapHours === 0
            ? "The secret that there is ends now. Servers that use it cannot get or renew tokens until they have the new one."
            : "The secret that there is goes on beside it. If one before that was still good, it ends now."}
        </p>
      </Confirm>
    </Stack>
  )
}
