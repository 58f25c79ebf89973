import { Result, Schema } from "effect"
import { type FormEvent, useState } from "react"
import { Role, type Member } from "../../../domain/access/Merchants.ts"
import { Email, type InvitationId } from "../../../rpc/Client.ts"
import type { Invitation } from "../../../domain/access/AccountLinks.ts"
import { useRpcMutation, useRpcQuery } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Columns, SelectField, TextField } from "../../shared/ui/form/Field.tsx"
import { Card, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { Day } from "../../shared/ui/display/Values.tsx"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import { SecretField } from "../../shared/ui/display/Copyable.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { uiTexts } from "../../shared/sharedTexts.ts"
import { settingsTexts } from "./settingsTexts.ts"
import css from "./Settings.module.css"

const emailOf = Schema.decodeResult(Email)

/** E-mail address and role of a new member. */
interface NewMember {
  readonly email: Email
  readonly role: Role
}

/** Input of a new member. `submit` sends a valid one. */
const useNewMember = (send: (member: NewMember) => void) => {
  const [typed, setTyped] = useState("")
  const [role, setRole] = useState<Role>("staff")
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const email = emailOf(typed)
    setProblem(Result.isFailure(email) ? settingsTexts.addMember.invalidEmail : undefined)
    if (Result.isSuccess(email)) send({ email: email.success, role })
  }
  return { typed, setTyped, role, setRole, problem, submit }
}

interface MemberFieldsProps {
  readonly member: ReturnType<typeof useNewMember>
  readonly hint?: string
}

const MemberFields = ({ hint, member: { problem, role, setRole, setTyped, typed } }: MemberFieldsProps) => (
  <>
    <TextField
      label={settingsTexts.addMember.email}
      type="email"
      autoComplete="off"
      {...(hint === undefined ? {} : { hint })}
      problem={problem}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
    <SelectField
      label={settingsTexts.addMember.role}
      hint={settingsTexts.roles[role].text}
      value={role}
      onChange={({ target }) => setRole(Role.literals.find((one) => one === target.value) ?? "staff")}
    >
      {Role.literals.toReversed().map((one) => (
        <option key={one} value={one}>
          {settingsTexts.roles[one].name}
        </option>
      ))}
    </SelectField>
  </>
)

/** Adds an existing account to the store. */
export const AddMemberForm = () => {
  const storeId = useStoreId()
  const adding = useRpcMutation({
    write: (client, { email, role }: NewMember, idempotencyKey) =>
      client.members.join({ storeId, idempotencyKey, email, role }),
    invalidates: [[storeId, "members"]],
    onSuccess: (_, { email }) => {
      member.setTyped("")
      toast(settingsTexts.addMember.added(email))
    }
  })
  const member = useNewMember((sent) => (adding.isPending ? undefined : adding.mutate(sent)))
  return (
    <Card title={settingsTexts.addMember.title}>
      <form onSubmit={member.submit} noValidate>
        <Stack>
          {adding.error === null ? undefined : <ErrorNotice error={adding.error} />}
          <Columns>
            <MemberFields member={member} hint={settingsTexts.addMember.emailHint} />
          </Columns>
          <Row>
            <Button type="submit" isBusy={adding.isPending}>
              {settingsTexts.addMember.action}
            </Button>
          </Row>
        </Stack>
      </form>
    </Card>
  )
}

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
