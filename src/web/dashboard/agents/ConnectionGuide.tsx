import { useState } from "react"
import { Button } from "../../ui/form/Button.tsx"
import { MutedText, Row, Stack } from "../../ui/layout/Page.tsx"
import css from "./Agents.module.css"
import { clientConfiguration } from "./agentForm.ts"
import { agentTexts } from "./agentTexts.ts"
import { uiTexts } from "../../ui/uiTexts.ts"

/** Configuration that connects an MCP client as this agent. */
export const ConnectionGuide = ({ token = "agent_…" }: { readonly token?: string }) => {
  const [copied, setCopied] = useState(false)
  const configuration = clientConfiguration(window.location.origin, token)
  const copy = async () => {
    await navigator.clipboard.writeText(configuration)
    setCopied(true)
  }
  return (
    <Stack>
      <p>{agentTexts.connection.advice}</p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls is for the keyboard too. */}
      <pre className={css["code"]} tabIndex={0} aria-label={agentTexts.connection.configuration}>
        {configuration}
      </pre>
      <Row>
        <Button onClick={() => void copy()}>{agentTexts.connection.copy}</Button>
        <output>{copied ? uiTexts.copy.copied : ""}</output>
      </Row>
      <MutedText>
        {agentTexts.connection.signIn.before}
        <code>{window.location.origin}/mcp</code>
        {agentTexts.connection.signIn.after}
      </MutedText>
    </Stack>
  )
}
