import { useState } from "react"
import { Day } from "../../shared/ui/display/Values.tsx"
import type { Invitation } from "../../../domain/access/AccountLinks.ts"
import type { Member } from "../../../domain/access/Merchants.ts"
import type { InvitationId } from "../../../rpc/Client.ts"
import { useRpcMutation, useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { QueryBoundary, ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { SecretField } from "../../shared/ui/display/Copyable.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { Card, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { uiTexts } from "../../shared/sharedTexts.ts"
import { MemberFields, type NewMember, useNewMember } from "./AddMemberForm.tsx"
import css from "./Settings.module.css"
import { settingsTexts } from "./settingsTexts.ts"

const texts = settingsTexts.invitations

interface LinkProps {
  /** Path of the link; null if another response had it. */
  readonly link: string | null
  readonly hint: string
  readonly close: () => void
}

/** Link that an owner copies. It is shown only once. */
const NewLink = ({ close, hint, link }: LinkProps) => (
  <Stack>
    {link === null ? (
      <p>{texts.linkLost}</p>
    ) : (
      <SecretField label={texts.link} hint={hint} value={new URL(link, location.origin).href} />
    )}
    <Row>
      <Button kind="strong" onClick={close}>
        {texts.done}
      </Button>
    </Row>
  </Stack>
)

/** Invites an e-mail address and shows the link. */
const InviteDialog = ({ close }: { readonly close: () => void }) => {
  const storeId = useStoreId()
  const inviting = useRpcMutation({
    write: (client, { email, role }: NewMember, idempotencyKey) =>
      client.members.invite({ storeId, idempotencyKey, email, role }),
    invalidates: [[storeId, "invitations"]]
  })
  const member = useNewMember((sent) => (inviting.isPending ? undefined : inviting.mutate(sent)))
  return (
    <Dialog
      title={inviting.data === undefined ? texts.invite : texts.invited(inviting.data.email)}
      isOpen
      close={close}
    >
      {inviting.data === undefined ? (
        <form onSubmit={member.submit} noValidate>
          <Stack>
            {inviting.error === null ? undefined : <ErrorNotice error={inviting.error} />}
            <MemberFields member={member} />
            <Row>
              <Button kind="strong" type="submit" isBusy={inviting.isPending}>
                {texts.create}
              </Button>
              <Button onClick={close}>{uiTexts.dialog.cancel}</Button>
            </Row>
          </Stack>
        </form>
      ) : (
        <NewLink link={inviting.data.link} hint={texts.linkHint} close={close} />
      )}
    </Dialog>
  )
}

/** Creates a link by which a member chooses a new password. */
export const ResetLinkDialog = ({
  close,
  member: { merchantId, name }
}: {
  readonly member: Member
  readonly close: () => void
}) => {
  const storeId = useStoreId()
  const creating = useRpcMutation({
    write: (client, id: Member["merchantId"], idempotencyKey) =>
      client.members.createResetLink({ storeId, idempotencyKey, merchantId: id }),
    invalidates: []
  })
  return (
    <Dialog title={texts.resetTitle(name)} isOpen close={close}>
      {creating.data === undefined ? (
        <Stack>
          {creating.error === null ? undefined : <ErrorNotice error={creating.error} />}
          <p>{texts.resetAdvice}</p>
          <Row>
            <Button kind="strong" onClick={() => creating.mutate(merchantId)} isBusy={creating.isPending}>
              {texts.createReset}
            </Button>
            <Button onClick={close}>{uiTexts.dialog.cancel}</Button>
          </Row>
        </Stack>
      ) : (
        <NewLink link={creating.data.link} hint={texts.resetLinkHint} close={close} />
      )}
    </Dialog>
  )
}

const columnsOf = (revoke: (id: InvitationId) => void): ReadonlyArray<Column<Invitation>> => [
  { name: settingsTexts.members.email, cell: ({ email }) => email },
  { name: settingsTexts.members.role, cell: ({ role }) => settingsTexts.roles[role].name },
  { name: texts.state, cell: ({ state }) => texts.states[state] },
  { name: texts.expires, cell: ({ expiresAt }) => <Day className={css["when"]} at={expiresAt} /> },
  {
    name: settingsTexts.members.actions,
    isNameHidden: true,
    cell: ({ email, id, state }) =>
      state === "open" ? (
        <Button kind="quiet" aria-label={texts.revokeOf(email)} onClick={() => revoke(id)}>
          {texts.revoke}
        </Button>
      ) : undefined
  }
]

/** Invitations of the store that were not accepted. */
export const Invitations = () => {
  const storeId = useStoreId()
  const [isInviting, setIsInviting] = useState(false)
  const query = useRpcQuery([storeId, "invitations"], (client) => client.members.invitations({ storeId }))
  const revoking = useRpcMutation({
    write: (client, id: InvitationId, idempotencyKey) =>
      client.members.revokeInvitation({ storeId, idempotencyKey, id }),
    invalidates: [[storeId, "invitations"]],
    onSuccess: () => toast(texts.revoked)
  })
  return (
    <Card title={texts.title}>
      <Stack>
        <p>{texts.purpose}</p>
        {revoking.error === null ? undefined : <ErrorNotice error={revoking.error} />}
        <QueryBoundary query={query}>
          {(all) => {
            const pending = all.filter(({ state }) => state === "open" || state === "expired")
            return pending.length === 0 ? undefined : (
              <Table
                caption={texts.title}
                rows={pending}
                keyOf={({ id }) => id}
                columns={columnsOf((id) => revoking.mutate(id))}
              />
            )
          }}
        </QueryBoundary>
        <Row>
          <Button onClick={() => setIsInviting(true)}>{texts.invite}</Button>
        </Row>
      </Stack>
      {isInviting ? <InviteDialog close={() => setIsInviting(false)} /> : undefined}
    </Card>
  )
}
