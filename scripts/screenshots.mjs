// Takes the screenshots in docs/screenshots of a new demo store. `npm run screenshots`; CHROMIUM is the path of the
// browser.
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"

const root = fileURLToPath(new URL("..", import.meta.url))
const pictures = join(root, "docs/screenshots")
const data = mkdtempSync(join(tmpdir(), "partner-api-screenshots-"))
const server = spawn(process.execPath, [join(root, "dist/main.js")], {
  env: { ...process.env, DATA_DIR: data, PORT: "0", LOG_LEVEL: "none" },
  stdio: ["ignore", "ignore", "inherit"]
})
const ended = new Promise((resolve) => server.once("exit", resolve))

/** Waits for the demo store and returns its credentials. */
const demo = async () => {
  const file = join(data, "demo.json")
  while (!existsSync(file)) {
    if (server.exitCode !== null) throw new Error("The server exited before the demo store existed")
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return JSON.parse(readFileSync(file, "utf8"))
}

/** Screenshots: file name, page, and actions before the screenshot. */
const scenes = [
  { name: "home", path: "" },
  { name: "products", path: "/products" },
  {
    name: "product",
    path: "/products",
    arrange: async (page) => {
      await page.getByRole("grid").getByRole("link").first().click()
      await page.getByLabel("Name", { exact: true }).first().waitFor()
    }
  },
  { name: "collections", path: "/collections" },
  { name: "activity", path: "/activity" },
  { name: "products-dark", path: "/products", colorScheme: "dark" }
]

try {
  const { baseUrl, merchantEmail, merchantPassword, storeId } = await demo()
  mkdirSync(pictures, { recursive: true })
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium" })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" })
  await page.goto(`${baseUrl}/dashboard`)
  await page.getByLabel("E-mail address").fill(merchantEmail)
  await page.getByLabel("Password").fill(merchantPassword)
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "Products" }).first().waitFor()
  for (const { arrange, colorScheme = "light", name, path } of scenes) {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${baseUrl}/dashboard/${storeId}${path}`, { waitUntil: "networkidle" })
    await arrange?.(page)
    // Lazy pictures below the window are not loaded.
    await page.waitForFunction(() =>
      [...document.images].every((image) => image.complete || image.getBoundingClientRect().top > innerHeight)
    )
    await page.screenshot({ path: join(pictures, `${name}.png`) })
  }
  await browser.close()
} finally {
  server.kill("SIGTERM")
  await ended
  rmSync(data, { recursive: true, force: true })
}
