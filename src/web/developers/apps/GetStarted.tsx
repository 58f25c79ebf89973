import { CodeBlock } from "../../ui/display/CodeBlock.tsx"
import { Card, Facts, MutedText, Stack } from "../../ui/layout/Page.tsx"
import { EmptyState } from "../../ui/display/QueryBoundary.tsx"
import type { App } from "./appDraft.ts"
import css from "./Apps.module.css"
import { stepsOf } from "./getStartedSteps.ts"

const Steps = ({
  app,
  base,
  redirectUri
}: {
  readonly app: App
  readonly base: string
  readonly redirectUri: string
}) => {
  const { authorize, exchange, request, sdk, values } = stepsOf(app, base, redirectUri)
  return (
    <>
      <Card title="Shell">
        <ol className={css["steps"]}>
          <li>
            <p>Set the values of your app.</p>
            <CodeBlock title="Values" text={values} />
          </li>
          <li>
            <p>Open the printed address as a merchant. The merchant reviews the permissions and approves them.</p>
            <CodeBlock title="Request authorization" text={authorize} />
          </li>
          <li>
            <p>
              The browser returns to your redirect URI with a code that is valid for one minute. Check that its state is
              yours, then exchange the code for tokens.
            </p>
            <CodeBlock title="Exchange code" text={exchange} />
          </li>
          <li>
            <p>Read the store.</p>
            <CodeBlock title="First request" text={request} />
          </li>
        </ol>
      </Card>
      <Card title="TypeScript">
        <MutedText>
          The SDK runs the same steps. It also refreshes tokens, retries requests without a response, and keeps every
          digit of a number.
        </MutedText>
        <CodeBlock title="SDK" text={sdk} />
      </Card>
    </>
  )
}

/** First steps after the registration of an app. */
export const GetStarted = ({ app, base }: { readonly app: App; readonly base: string }) => {
  const [redirectUri] = app.redirectUris
  return (
    <Stack>
      <Card>
        <Facts
          facts={[
            ["Client ID", <code key="id">{app.id}</code>],
            ["Type", app.type === "public" ? "Public" : "Confidential"],
            ["Installations", app.installations],
            [
              "Documentation",
              <a key="docs" href="/docs">
                API reference
              </a>
            ]
          ]}
        />
      </Card>
      {redirectUri === undefined ? (
        <EmptyState title="This app has no redirect URI">
          <p>Add a redirect URI under Settings. Merchants return to it with an authorization code.</p>
        </EmptyState>
      ) : (
        <Steps app={app} base={base} redirectUri={redirectUri} />
      )}
    </Stack>
  )
}
