import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type OpenedControl, openControl } from '../control.ts'
import { CASES } from '../long-run.ts'
import { anyControlRequest, type ControlRequest } from './any-control-request.ts'
import { checkProperty } from './check-sequences.ts'

const TIMEOUT = 600_000

async function steer(
  { callControl: send }: OpenedControl,
  { method, path, raw }: ControlRequest,
): Promise<number> {
  const { status } = await send(method, path, raw === undefined ? {} : { raw })
  return status
}

it(
  'the control interface returns documented responses to random requests, and a reset restores the first state',
  async () => {
    const fresh = (await openControl().sandbox.snapshot()).state
    const property = fc.asyncProperty(
      fc.array(anyControlRequest, { maxLength: 20, size: 'max' }),
      async (list) => {
        const opened = openControl()
        for (const one of list)
          expect(await steer(opened, one), JSON.stringify(one)).toBeLessThan(500)

        opened.sandbox.reset()
        opened.sandbox.clock.set('2027-03-01T12:00:00.000Z')
        expect((await opened.sandbox.snapshot()).state).toEqual(fresh)
      },
    )
    await checkProperty(property, Math.ceil(CASES / 60))
  },
  TIMEOUT,
)
