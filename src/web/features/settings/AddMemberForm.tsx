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

/** Adds an existing account to the store. */
export const AddMemberForm = () => {
  const storeId = useStoreId()
  const [typed, setTyped] = useState("")
  const [role, setRole] = useState<Role>("staff")
  const [problem, setProblem] = useState<string>()
  const adding = useRpcMutation({
    write: (client, email: Email, idempotencyKey) => client.members.join({ storeId, idempotencyKey, email, role }),
    invalidates: [[storeId, "members"]],
    onSuccess: (_, email) => {
      setTyped("")
      toast(settingsTexts.addMember.added(email))
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const email = emailOf(typed)
    setProblem(Result.isFailure(email) ? settingsTexts.addMember.invalidEmail : undefined)
    if (Result.isSuccess(email) && !adding.isPending) adding.mutate(email.success)
  }
  return (
    <Card title={settingsTexts.addMember.title}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {adding.error === null ? undefined : <ErrorNotice error={adding.error} />}
          <Columns>
            <TextField
              label={settingsTexts.addMember.email}
              type="email"
              autoComplete="off"
              hint={settingsTexts.addMember.emailHint}
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
