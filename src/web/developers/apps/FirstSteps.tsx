import { Code } from "../../ui/Code.tsx"
import { Card, Facts, Quiet, Stack } from "../../ui/Page.tsx"
import { Empty } from "../../ui/States.tsx"
import type { App } from "./AppDraft.ts"
import css from "./Apps.module.css"
import { stepsOf } from "./Steps.ts"

const Lines = ({
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
      <Card title="In a shell">
        <ol className={css["steps"]}>
          <li>
            <p>Say which app you are.</p>
            <Code title="Values" text={values} />
          </li>
          <li>
            <p>Open the address that this prints, as a merchant. They read what the app asks for, and let it in.</p>
            <Code title="Ask the merchant" text={authorize} />
          </li>
          <li>
            <p>
              The browser comes to your redirect URI with a code, which is good for a minute. Compare its state with
              your own, then exchange the code for tokens.
            </p>
            <Code title="Exchange the code" text={exchange} />
          </li>
          <li>
            <p>Ask for the store.</p>
            <Code title="First request" text={request} />
          </li>
        </ol>
      </Card>
      <Card title="In TypeScript">
        <Quiet>The client does the same, and renews tokens, repeats what got no answer, and keeps every digit.</Quiet>
        <Code title="With the client" text={sdk} />
      </Card>
    </>
  )
}

/** What one does with an app that was just registered. */
export const FirstSteps = ({ app, base }: { readonly app: App; readonly base: string }) => {
  const [redirectUri] = app.redirectUris
  return (
    <Stack>
      <Card>
        <Facts
          facts={[
            ["Client id", <code key="id">{app.id}</code>],
            ["Type", app.type === "public" ? "Public" : "Confidential"],
            ["Installed on", app.installations],
            [
              "Everything that can be asked",
              <a key="docs" href="/docs">
                API reference
              </a>
            ]
          ]}
        />
      </Card>
      {redirectUri === undefined ? (
        <Empty title="The app has no redirect URI">
          <p>Name one under Settings: it is where merchants come back to, with the code that lets the app in.</p>
        </Empty>
      ) : (
        <Lines app={app} base={base} redirectUri={redirectUri} />
      )}
    </Stack>
  )
}
