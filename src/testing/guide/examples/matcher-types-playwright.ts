import type { BehavedOptions } from 'pet-sandbox/vitest'

declare global {
  namespace PlaywrightTest {
    interface Matchers<R, T> {
      toHaveBehaved(options?: BehavedOptions): Promise<void>
    }
  }
}
