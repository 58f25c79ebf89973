import { type FormEvent, type ReactNode, useState } from "react"
import { Result } from "effect"
import { BUDGET, type NewAgent, WINDOW } from "../../../domain/access/Agents.ts"
import { grantDescriptions } from "../../shared/data/grants.ts"
import { Scope } from "../../../domain/access/Scope.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { SaveForm } from "../../shared/ui/form/SaveForm.tsx"
import { Sentence } from "../../shared/ui/display/Values.tsx"
import { CheckField, Columns, Fieldset, NumberField, TextField } from "../../shared/ui/form/Field.tsx"
import { Row, Stack, MutedText } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { CodeBlock } from "../../shared/ui/display/Copyable.tsx"
import css from "./Agents.module.css"
import { type AgentFormValues, parseAgent, withScope, clientConfiguration } from "./agentForm.ts"
import { agentTexts } from "./agentTexts.ts"

interface AgentFieldsProps {
  readonly start: AgentFormValues
  readonly action: string
  readonly save: (agent: Required<NewAgent>) => void
  readonly isBusy: boolean
  readonly error: unknown
  readonly cancel?: ReactNode
}

/** Form of an agent. Validates on submit, and after that on every change. */
export const AgentFields = ({ action, cancel, error, isBusy, save, start }: AgentFieldsProps) => {
  const [form, setForm] = useState(start)
  const [wasSubmitted, setSubmitted] = useState(false)
  const agent = parseAgent(form)
  const problems = wasSubmitted && Result.isFailure(agent) ? agent.failure : {}
  const change = (changes: Partial<AgentFormValues>) => setForm({ ...form, ...changes })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSubmitted(true)
    if (Result.isSuccess(agent)) save(agent.success)
  }
  return (
    <SaveForm onSubmit={submit}>
      <Stack>
        <TextField
          label={agentTexts.form.name}
          hint={agentTexts.form.nameHint}
          value={form.name}
          problem={problems.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Fieldset legend={agentTexts.form.permissions} hint={problems.scopes}>
          <div className={css["scopes"]}>
            {Scope.literals.map((scope) => (
              <CheckField
                key={scope}
                label={grantDescriptions[scope].title}
                hint={grantDescriptions[scope].text}
                checked={form.scopes.includes(scope)}
                onChange={({ target }) => change({ scopes: withScope(form.scopes, scope, target.checked) })}
              />
            ))}
          </div>
        </Fieldset>
        <CheckField
          label={agentTexts.form.requireApproval}
          hint={agentTexts.form.requireApprovalHint}
          checked={form.proposalsOnly}
          onChange={({ target }) => change({ proposalsOnly: target.checked })}
        />
        <Columns>
          <NumberField
            label={agentTexts.form.budget}
            hint={agentTexts.form.budgetHint(BUDGET.most)}
            inputMode="numeric"
            value={form.budget}
            problem={problems.budget}
            onChange={({ target }) => change({ budget: target.value })}
          />
          <NumberField
            label={agentTexts.form.window}
            hint={agentTexts.form.windowHint(WINDOW.most)}
            inputMode="numeric"
            value={form.window}
            problem={problems.window}
            onChange={({ target }) => change({ window: target.value })}
          />
        </Columns>
        {error === null ? undefined : <ErrorNotice error={error} />}
        <Row>
          <Button kind="strong" type="submit" isBusy={isBusy}>
            {action}
          </Button>
          {cancel}
        </Row>
      </Stack>
    </SaveForm>
  )
}

/** Configuration that connects an MCP client as this agent. */
export const ConnectionGuide = ({ token = "agent_…" }: { readonly token?: string }) => {
  const configuration = clientConfiguration(window.location.origin, token)
  return (
    <Stack>
      <p>{agentTexts.connection.advice}</p>
      <CodeBlock title={agentTexts.connection.configuration} text={configuration} />
      <MutedText>
        <Sentence text={agentTexts.connection.signIn}>
          <code>{window.location.origin}/mcp</code>
        </Sentence>
      </MutedText>
    </Stack>
  )
}
