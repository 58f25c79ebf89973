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
import { developerTexts } from "../developerTexts.ts"

/** Hours for which the previous secret stays valid, with labels. */
const overlapOptions = [
  [SECRET_OVERLAP.usual, developerTexts.secret.graceTimes.day],
  [168, developerTexts.secret.graceTimes.week],
  [SECRET_OVERLAP.most, developerTexts.secret.graceTimes.month],
  [0, developerTexts.secret.graceTimes.none]
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
        <Card title={developerTexts.secret.newSecret}>
          <SecretField label={developerTexts.secret.label} value={secret} hint={developerTexts.secret.hint} />
        </Card>
      ) : undefined}
      <Card title={developerTexts.secret.active}>
        <Table
          caption={developerTexts.secret.active}
          rows={app.secrets}
          keyOf={({ id }) => id}
          columns={[
            { name: developerTexts.secret.created, cell: ({ createdAt }) => day(createdAt) },
            {
              name: developerTexts.secret.expires,
              cell: ({ endsAt }) => (endsAt === null ? developerTexts.secret.expiresWhenReplaced : time(endsAt))
            }
          ]}
        />
      </Card>
      <Card title={developerTexts.secret.rotate}>
        <SelectField
          label={developerTexts.secret.graceTime}
          hint={developerTexts.secret.graceTimeHint}
          value={overlapHours}
          onChange={({ target }) => setOverlapHours(Number(target.value))}
        >
          {overlapOptions.map(([hours, label]) => (
            <option key={hours} value={hours}>
              {label}
            </option>
          ))}
        </SelectField>
        <Row>
          <Button onClick={() => setConfirming(true)}>{developerTexts.secret.create}</Button>
        </Row>
      </Card>
      <Confirm
        title={developerTexts.secret.confirm}
        action={developerTexts.secret.confirmCreate}
        isOpen={isConfirming}
        close={() => {
          setConfirming(false)
          rotating.reset()
        }}
        confirm={() => rotating.mutate(overlapHours)}
        isBusy={rotating.isPending}
        error={rotating.error}
      >
        <p>{overlapHours === 0 ? developerTexts.secret.endsNow : developerTexts.secret.endsLater}</p>
      </Confirm>
    </Stack>
  )
}
