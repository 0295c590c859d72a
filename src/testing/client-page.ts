import { createClient } from 'pet-sandbox/client'

declare global {
  /** What the page steers sandboxes by. */
  var steer: typeof createClient
}

globalThis.steer = createClient
