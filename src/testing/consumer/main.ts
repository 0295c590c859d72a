import { setupWorker } from 'msw/browser'
import { createSandbox, type Sandbox } from 'pet-sandbox'
import { strict, toHandlers } from 'pet-sandbox/msw'
import { createPetClient } from './client.ts'
import { mount } from './page.ts'
import { createShop } from './shop.ts'

declare global {
  /** For the tests: what answers the page. */
  var sandbox: Sandbox
}

const BASE = 'https://api.example.com/v1'

globalThis.sandbox = createSandbox()
await setupWorker(...toHandlers(globalThis.sandbox, { baseUrl: BASE })).start(strict)

mount((show) => createShop(createPetClient(BASE, 'sk_sandbox_free'), show))
