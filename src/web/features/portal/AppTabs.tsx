import { Result, Effect } from "effect"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { notFound } from "@tanstack/react-router"
import type { BadRequest } from "../../../domain/BadRequest.ts"
import type { AppPatch, InstallationId } from "../../../rpc/Client.ts"
import { SECRET_OVERLAP } from "../../../domain/access/Apps.ts"
import type { DevelopedInstallation } from "../../../domain/access/Developers.ts"
import { grantDescriptions } from "../../shared/data/grants.ts"
import type { Delivery } from "../../../domain/webhooks/Webhook.ts"
import { useRpcMutation, usePagedQuery } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { SaveForm } from "../../shared/ui/form/SaveForm.tsx"
import { MutedText, Row, Stack, Card } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice, QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { uiTexts } from "../../shared/sharedTexts.ts"
import { Day, Time, Badge } from "../../shared/ui/display/Values.tsx"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { SelectField } from "../../shared/ui/form/Field.tsx"
import { SecretField } from "../../shared/ui/display/Copyable.tsx"
import { type Column, Table, More } from "../../shared/ui/display/Table.tsx"
import { deliveryColumns, DeliveryList, DeliveryDialog } from "../../shared/webhooks/Deliveries.tsx"
import { webhookTexts } from "../../shared/webhooks/webhookTexts.ts"
import { draftOf, parsePatch, problemsIn, type App } from "./appDraft.ts"
import { AppFields } from "./AppFields.tsx"
import { useApp } from "./AppPage.tsx"
import { portalTexts } from "./portalTexts.ts"

/** Form of the settings that can change after registration. */
export const AppSettings = () => {
  const { app, draft, isUnsaved, setDraft } = useApp()
  const form = useRef<HTMLFormElement>(null)
  const saving = useRpcMutation({
    write: (client, patch: AppPatch, idempotencyKey) => client.apps.update({ idempotencyKey, id: app.id, patch }),
    invalidates: [["app", app.id], ["apps"]],
    onSuccess: () => {
      setDraft(undefined)
      toast(portalTexts.settings.saved)
    }
  })
  const [inputError, setInputError] = useState<BadRequest>()
  const error = inputError ?? saving.error
  const problems = problemsIn(error)
  useEffect(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [error])
  const save = (event: FormEvent) => {
    event.preventDefault()
    const parsed = parsePatch(draft)
    setInputError(Result.isFailure(parsed) ? parsed.failure : undefined)
    if (Result.isSuccess(parsed)) saving.mutate(parsed.success)
  }
  return (
    <SaveForm form={form} onSubmit={save}>
      <Stack>
        <AppFields draft={draft} problems={problems} change={(changed) => setDraft({ ...draft, ...changed })} />
        <MutedText>{portalTexts.settings.permissionsAdvice}</MutedText>
        {error === null || Object.keys(problems).length > 0 ? undefined : <ErrorNotice error={error} />}
        <Row>
          <Button kind="strong" type="submit" disabled={!isUnsaved} isBusy={saving.isPending}>
            {uiTexts.saveBar.save}
          </Button>
          <Button disabled={!isUnsaved || saving.isPending} onClick={() => setDraft(draftOf(app))}>
            {uiTexts.saveBar.discard}
          </Button>
        </Row>
      </Stack>
    </SaveForm>
  )
}

/** Hours for which the previous secret stays valid, with labels. */
const overlapOptions = [
  [SECRET_OVERLAP.usual, portalTexts.secret.graceTimes.day],
  [168, portalTexts.secret.graceTimes.week],
  [SECRET_OVERLAP.most, portalTexts.secret.graceTimes.month],
  [0, portalTexts.secret.graceTimes.none]
] as const

const SECRET_COLUMNS: ReadonlyArray<Column<App["secrets"][number]>> = [
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
        <Table caption={portalTexts.secret.active} rows={app.secrets} keyOf={({ id }) => id} columns={SECRET_COLUMNS} />
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

type Installation = typeof DevelopedInstallation.Type

const INSTALLATION_COLUMNS: ReadonlyArray<Column<Installation>> = [
  { name: portalTexts.installations.installation, cell: ({ id }) => <code>{id}</code> },
  {
    name: portalTexts.installations.permissions,
    cell: ({ capabilities, scopes }) =>
      [...scopes, ...capabilities].map((one) => grantDescriptions[one].title).join(", ")
  },
  {
    name: portalTexts.installations.status,
    cell: ({ state }) =>
      state === "suspended" ? (
        <Badge tone="warn">{portalTexts.installations.suspended}</Badge>
      ) : (
        <Badge tone="good">{portalTexts.installations.active}</Badge>
      )
  },
  { name: portalTexts.installations.installed, cell: ({ installedAt }) => <Time at={installedAt} /> }
]

/** Installations of an app. Stores stay anonymous until their token identifies them. */
export const Installations = () => {
  const appId = useApp().app.id
  const { query, items, more } = usePagedQuery(
    ["app", appId, "installations"],
    (cursor: { readonly cursor?: InstallationId }) => (client) => client.apps.installations({ id: appId, ...cursor })
  )
  return (
    <QueryBoundary query={{ data: items, error: query.error, refetch: query.refetch }}>
      {(installations) =>
        installations.length === 0 ? (
          <EmptyState title={portalTexts.installations.empty}>
            <p>{portalTexts.installations.emptyAdvice}</p>
          </EmptyState>
        ) : (
          <Card>
            <MutedText>{portalTexts.installations.storeAdvice}</MutedText>
            <Table
              caption={portalTexts.installations.caption}
              rows={installations}
              keyOf={({ id }) => id}
              columns={INSTALLATION_COLUMNS}
            />
            <More {...more} />
          </Card>
        )
      }
    </QueryBoundary>
  )
}

const DELIVERY_COLUMNS: ReadonlyArray<Column<Delivery>> = [
  { name: webhookTexts.deliveries.event, cell: ({ kind }) => <code>{kind}</code> },
  { name: webhookTexts.deliveries.occurred, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ...deliveryColumns,
  {
    name: webhookTexts.deliveries.nextAttempt,
    cell: ({ attempts, nextAt }) => (nextAt === null || attempts === 0 ? "–" : <Time at={nextAt} />)
  }
]

const factsOf = ({ eventId }: Pick<Delivery, "eventId">) =>
  [[webhookTexts.deliveries.event, <code key="id">{eventId}</code>]] as const

/** Deliveries of an app from all stores. */
export const Deliveries = () => {
  const appId = useApp().app.id
  const [open, setOpen] = useState<Delivery>()
  const close = () => setOpen(undefined)
  const listKey = ["app", appId, "deliveries"]
  return (
    <>
      <DeliveryList
        listKey={listKey}
        list={(filter) => (client) => client.appDeliveries.list({ id: appId, ...filter })}
        columns={DELIVERY_COLUMNS}
        detailsLabel={({ eventId }) => portalTexts.deliveries.viewDetails(eventId)}
        onOpen={setOpen}
        advice={portalTexts.deliveries.noDeliveriesAdvice}
      />
      {open === undefined ? undefined : (
        <DeliveryDialog
          title={open.kind}
          listKey={listKey}
          eventId={open.eventId}
          details={(client) =>
            Effect.map(client.appDeliveries.attempts({ id: appId, eventId: open.eventId }), (log) => ({
              eventId: open.eventId,
              log
            }))
          }
          facts={factsOf}
          redeliver={(client, idempotencyKey) =>
            client.appDeliveries.redeliver({ idempotencyKey, id: appId, eventId: open.eventId })
          }
          onQueued={close}
          close={close}
        />
      )}
    </>
  )
}
