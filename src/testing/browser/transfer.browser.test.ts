import { beforeAll, describe, expect, it } from 'vitest'
import { measureTransfer, type Transfer } from '../transfer.ts'

/** In bytes, compressed by brotli: one engine answers the shipped document and all others, in a page, too. */
const MAX_BYTES = 184_000

describe.each(['Vite', 'esbuild'] as const)(
  'a page that lists, creates and reads by the ready handlers, bundled by %s',
  (bundler) => {
    let transfer: Transfer

    beforeAll(async () => {
      transfer = await measureTransfer(bundler)
    })

    it('transfers at most 184 kB of the package and its libraries, without MSW', () => {
      const bytes = [...transfer.loaded.values()].reduce((sum, size) => sum + size, 0)

      expect(transfer.statuses).toEqual([200, 201, 200])
      expect(bytes, [...transfer.loaded].join(' ')).toBeLessThanOrEqual(MAX_BYTES)
    })

    it.each(['create-first-records', 'generate-value', 'fill-error'])(
      'loads faker and generation only when they are used: not %s',
      (name) => {
        expect(transfer.unloaded.filter((one) => one.includes(name))).toHaveLength(1)
      },
    )
  },
)
