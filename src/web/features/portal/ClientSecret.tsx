import { notFound } from "@tanstack/react-router"
import { useState } from "react"
import { Day, Time } from "../../shared/ui/display/Values.tsx"
import { SECRET_OVERLAP } from "../../../domain/access/Apps.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { SelectField } from "../../shared/ui/form/Field.tsx"
import { Card, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { SecretField } from "../../shared/ui/display/Copyable.tsx"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import type { App } from "./appDraft.ts"
import { useApp } from "./AppPage.tsx"
import { portalTexts } from "./portalTexts.ts"

/** Hours for which the previous secret stays valid, with labels. */
const overlapOptions = [
  [SECRET_OVERLAP.usual, portalTexts.secret.graceTimes.day],
  [168, portalTexts.secret.graceTimes.week],
  [SECRET_OVERLAP.most, portalTexts.secret.graceTimes.month],
  [0, portalTexts.secret.graceTimes.none]
] as const

const COLUMNS: ReadonlyArray<Column<App["secrets"][number]>> = [
  { name: portalTexts.secret.created, cell: ({ createdAt }) => <Day at={createdAt} /> },
  {
    name: portalTexts.secret.expires,
    cell: ({ endsAt }) => (endsAt === null ? portalTexts.secret.expiresWhenReplaced : <Time at={endsAt} />)
  }
]

/** Active client secrets of an app, and their rotation. */
export const ClientSecret = () => {
  const { app } = useApp()
  const [overlapHours, setOverlapHours] = useState<number>(SECRET_OVERLAP.usual)
  const [isConfirming, setConfirming] = useState(false)
  const rotating = useRpcMutation({
    write: (client, hours: number, idempotencyKey) =>
      client.apps.rotateSecret({ idempotencyKey, id: app.id, overlapHours: hours }),
    invalidates: [["app", app.id]],
    onSuccess: () => setConfirming(false)
  })
  if (app.type === "public") throw notFound()
  const secret = rotating.data?.clientSecret
  return (
    <Stack>
      {typeof secret === "string" ? (
        <Card title={portalTexts.secret.newSecret}>
          <SecretField label={portalTexts.secret.label} value={secret} hint={portalTexts.secret.hint} />
        </Card>
      ) : undefined}
      <Card title={portalTexts.secret.active}>
        <Table caption={portalTexts.secret.active} rows={app.secrets} keyOf={({ id }) => id} columns={COLUMNS} />
      </Card>
      <Card title={portalTexts.secret.rotate}>
        <SelectField
          label={portalTexts.secret.graceTime}
          hint={portalTexts.secret.graceTimeHint}
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
          <Button onClick={() => setConfirming(true)}>{portalTexts.secret.create}</Button>
        </Row>
      </Card>
      <Confirm
        title={portalTexts.secret.confirm}
        action={portalTexts.secret.confirmCreate}
        isOpen={isConfirming}
        close={() => {
          setConfirming(false)
          rotating.reset()
        }}
        confirm={() => rotating.mutate(overlapHours)}
        isBusy={rotating.isPending}
        error={rotating.error}
      >
        <p>{overlapHours === 0 ? portalTexts.secret.endsNow : portalTexts.secret.endsLater}</p>
      </Confirm>
    </Stack>
  )
}
