import { useState } from "react"
import { SECRET_OVERLAP } from "../../../domain/access/Apps.ts"
import { day, time } from "../../data/format.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/form/Button.tsx"
import { Confirm } from "../../ui/layout/Dialog.tsx"
import { SelectField } from "../../ui/form/Field.tsx"
import { Card, Row, Stack } from "../../ui/layout/Page.tsx"
import { SecretField } from "../../ui/form/SecretField.tsx"
import { Table } from "../../ui/display/Table.tsx"
import type { App } from "./appDraft.ts"

/** Hours for which the previous secret stays valid, with labels. */
const overlapOptions = [
  [SECRET_OVERLAP.usual, "1 day"],
  [168, "1 week"],
  [SECRET_OVERLAP.most, "30 days"],
  [0, "0 days (the secret leaked)"]
] as const

/** Active client secrets of an app, and their rotation. */
export const ClientSecret = ({ app }: { readonly app: App }) => {
  const [overlapHours, setOverlapHours] = useState<number>(SECRET_OVERLAP.usual)
  const [isConfirming, setConfirming] = useState(false)
  const rotating = useRpcMutation({
    write: (client, hours: number, idempotencyKey) =>
      client.apps.rotateSecret({ idempotencyKey, id: app.id, overlapHours: hours }),
    invalidates: [["app", app.id]],
    onSuccess: () => setConfirming(false)
  })
  const secret = rotating.data?.clientSecret
  return (
    <Stack>
      {typeof secret === "string" ? (
        <Card title="New client secret">
          <SecretField
            label="Client secret"
            value={secret}
            hint="This secret is shown only once. Deploy it to your servers, then check that they can still refresh tokens."
          />
        </Card>
      ) : undefined}
      <Card title="Active secrets">
        <Table
          caption="Active secrets"
          rows={app.secrets}
          keyOf={({ id }) => id}
          columns={[
            { name: "Created", cell: ({ createdAt }) => day(createdAt) },
            { name: "Expires", cell: ({ endsAt }) => (endsAt === null ? "When replaced" : time(endsAt)) }
          ]}
        />
      </Card>
      <Card title="Rotate client secret">
        <SelectField
          label="Keep the current secret for"
          hint="Gives you time to deploy the new secret. At most two secrets are active."
          value={overlapHours}
          onChange={({ target }) => setOverlapHours(Number(target.value))}
        >
          {overlapOptions.map(([hours, words]) => (
            <option key={hours} value={hours}>
              {words}
            </option>
          ))}
        </SelectField>
        <Row>
          <Button onClick={() => setConfirming(true)}>Create new secret</Button>
        </Row>
      </Card>
      <Confirm
        title="Create a new secret?"
        action="Create secret"
        isOpen={isConfirming}
        close={() => {
          setConfirming(false)
          rotating.reset()
        }}
        confirm={() => rotating.mutate(overlapHours)}
        isBusy={rotating.isPending}
        error={rotating.error}
      >
        <p>
          {overlapHours === 0
            ? "The current secret stops working now. Servers that use it cannot get or refresh tokens until they have the new one."
            : "The current secret keeps working for the chosen time. If an older secret is still active, it stops working now."}
        </p>
      </Confirm>
    </Stack>
  )
}
