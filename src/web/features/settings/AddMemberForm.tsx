import { Result, Schema } from "effect"
import { type FormEvent, useState } from "react"
import { Role } from "../../../domain/access/Merchants.ts"
import { Email } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Columns, SelectField, TextField } from "../../shared/ui/form/Field.tsx"
import { Card, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { settingsTexts } from "./settingsTexts.ts"

const emailOf = Schema.decodeResult(Email)

/** E-mail address and role of a new member. */
export interface NewMember {
  readonly email: Email
  readonly role: Role
}

/** Input of a new member. `submit` sends a valid one. */
export const useNewMember = (send: (member: NewMember) => void) => {
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

export const MemberFields = ({ hint, member: { problem, role, setRole, setTyped, typed } }: MemberFieldsProps) => (
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
