import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { Day, Badge } from "../../shared/ui/display/Values.tsx"
import type { Member, Role } from "../../../domain/access/Merchants.ts"
import type { MerchantId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { Menu } from "../../shared/ui/form/Menu.tsx"
import { Card, Stack } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, EmptyState, ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useRefreshAccount, useMember, useStoreId } from "../../shared/data/store.ts"
import { AddMemberForm, Invitations, ResetLinkDialog } from "./Invitations.tsx"
import { membersQuery } from "./settingsQueries.ts"
import css from "./Settings.module.css"
import { settingsTexts } from "./settingsTexts.ts"

const otherRole = (role: Role): Role => (role === "owner" ? "staff" : "owner")

interface RoleChange {
  readonly member: Member
  readonly role: Role
}

const columnsOf = (
  ownId: MerchantId,
  changeRole: (member: Member, role: Role) => void,
  remove: (member: Member) => void,
  reset: (member: Member) => void
): ReadonlyArray<Column<Member>> => [
  {
    name: settingsTexts.members.name,
    cell: ({ merchantId, name }) => (
      <span className={css["name"]}>
        {name}
        {merchantId === ownId ? <Badge>{settingsTexts.members.you}</Badge> : undefined}
      </span>
    )
  },
  { name: settingsTexts.members.email, cell: ({ email }) => email },
  { name: settingsTexts.members.role, cell: ({ role }) => settingsTexts.roles[role].name },
  { name: settingsTexts.members.since, cell: ({ createdAt }) => <Day className={css["when"]} at={createdAt} /> },
  {
    name: settingsTexts.members.actions,
    isNameHidden: true,
    cell: (member) => (
      <Menu
        label={settingsTexts.members.edit}
        name={settingsTexts.members.editMember(member.email)}
        kind="quiet"
        items={[
          {
            name: settingsTexts.members.makeRole[otherRole(member.role)],
            choose: () => changeRole(member, otherRole(member.role))
          },
          ...(member.merchantId === ownId
            ? []
            : [{ name: settingsTexts.members.resetLink, choose: () => reset(member) }]),
          { name: settingsTexts.members.remove, choose: () => remove(member) }
        ]}
      />
    )
  }
]

const MembersForOwner = () => {
  const storeId = useStoreId()
  const { merchantId: ownId } = useMember()
  const refreshAccount = useRefreshAccount()
  const navigate = useNavigate()
  const [removedMember, setRemovedMember] = useState<Member>()
  const [resetMember, setResetMember] = useState<Member>()
  const query = useQuery(membersQuery(storeId))
  const changeRole = useRpcMutation({
    write: (client, { member: { email }, role }: RoleChange, idempotencyKey) =>
      client.members.join({ storeId, idempotencyKey, email, role }),
    invalidates: [[storeId, "members"]],
    onSuccess: (_, { member: { merchantId, name }, role }) => {
      toast(settingsTexts.members.roleChanged[role](name))
      if (merchantId === ownId) refreshAccount()
    }
  })
  const remove = useRpcMutation({
    write: (client, { merchantId }: Member, idempotencyKey) =>
      client.members.leave({ storeId, idempotencyKey, merchantId }),
    invalidates: [[storeId, "members"]],
    onSuccess: (_, { merchantId, name }) => {
      setRemovedMember(undefined)
      toast(settingsTexts.members.removed(name))
      if (merchantId !== ownId) return
      refreshAccount()
      void navigate({ to: "/dashboard" })
    }
  })
  const close = () => {
    setRemovedMember(undefined)
    remove.reset()
  }
  return (
    <Stack>
      <Card title={settingsTexts.members.title}>
        {changeRole.error === null ? undefined : <ErrorNotice error={changeRole.error} />}
        <QueryBoundary query={query}>
          {(members) => (
            <Table
              caption={settingsTexts.members.title}
              rows={members}
              keyOf={({ merchantId }) => merchantId}
              columns={columnsOf(
                ownId,
                (member, role) => changeRole.mutate({ member, role }),
                setRemovedMember,
                setResetMember
              )}
            />
          )}
        </QueryBoundary>
      </Card>
      <Invitations />
      <AddMemberForm />
      {resetMember === undefined ? undefined : (
        <ResetLinkDialog member={resetMember} close={() => setResetMember(undefined)} />
      )}
      <Confirm
        title={
          removedMember?.merchantId === ownId
            ? settingsTexts.members.confirmLeave
            : settingsTexts.members.confirmRemove(removedMember?.name ?? "")
        }
        action={removedMember?.merchantId === ownId ? settingsTexts.members.leave : settingsTexts.members.remove}
        isOpen={removedMember !== undefined}
        close={close}
        confirm={() => removedMember !== undefined && remove.mutate(removedMember)}
        isBusy={remove.isPending}
        error={remove.error}
      >
        <p>
          {removedMember?.merchantId === ownId ? settingsTexts.members.leaveAdvice : settingsTexts.members.removeAdvice}
        </p>
      </Confirm>
    </Stack>
  )
}

/** Members of the store. Only owners can manage them. */
export const Members = () =>
  useMember().isOwner ? (
    <MembersForOwner />
  ) : (
    <Card>
      <EmptyState title={settingsTexts.members.ownersOnly}>
        <p>{settingsTexts.members.ownersOnlyAdvice}</p>
      </EmptyState>
    </Card>
  )
