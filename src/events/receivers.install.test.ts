import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import type { DeliveryFault } from '../forcing/outcomes.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { installOnDemand } from '../testing/install-on-demand.mjs'
import type { SignatureForm } from './event-settings.ts'

/** What receivers use to tell genuine deliveries from forged ones. */
const LIBRARIES = {
  standardwebhooks: '1.1.0',
  svix: '2.5.0',
  stripe: '23.1.0',
  '@octokit/webhooks': '14.2.0',
  twilio: '6.3.1',
}

const contract = await loadContract('src/testing/shop-events.yaml')
const formContract = await loadContract('src/testing/form-events.yaml')
const folder = await installOnDemand('webhook-receivers', LIBRARIES)
const load = createRequire(`${folder}/package.json`)

/** A delivery as a receiver gets it. */
interface Received {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Throws, or resolves with `false`, for what is not genuine. */
type Verify = (received: Received, secret: string) => unknown

/** A receiver, with the signatures that it knows and how it checks them. */
interface Receiver {
  readonly signature: SignatureForm
  readonly verify: Verify
  /** The document of a service that sends forms; by default, one that sends JSON. */
  readonly contract?: Contract
  /** The faults that it refuses. The signatures of GitHub have no time, so that a replay is genuine. */
  readonly refuses: readonly DeliveryFault[]
}

const TIMED = ['wrong-signature', 'old-timestamp', 'cut-body'] as const

const RECEIVERS: Readonly<Record<keyof typeof LIBRARIES, Receiver>> = {
  standardwebhooks: {
    signature: 'standard',
    verify: ({ body, headers }, secret) => {
      const { Webhook } = load('standardwebhooks')
      return new Webhook(secret).verify(body, headers)
    },
    refuses: TIMED,
  },
  svix: {
    signature: 'standard',
    verify: ({ body, headers }, secret) => {
      const { Webhook } = load('svix')
      return new Webhook(secret).verify(body, headers)
    },
    refuses: TIMED,
  },
  stripe: {
    signature: 'stripe',
    verify: ({ body, headers }, secret) => {
      const Stripe = load('stripe')
      return new Stripe('sk_test_1').webhooks.constructEvent(
        body,
        headers['stripe-signature'],
        secret,
      )
    },
    refuses: TIMED,
  },
  '@octokit/webhooks': {
    signature: 'github',
    verify: async ({ body, headers }, secret) => {
      const { Webhooks } = await import(load.resolve('@octokit/webhooks'))
      return new Webhooks({ secret }).verify(body, headers['x-hub-signature-256'])
    },
    refuses: ['wrong-signature', 'cut-body'],
  },
  twilio: {
    signature: 'twilio',
    contract: formContract,
    verify: ({ url, body, headers }, secret) => {
      const { validateRequest } = load('twilio')
      const form = new URLSearchParams(body)
      const values = [...new Set(form.keys())].map((name) => {
        const all = form.getAll(name)
        return [name, all.length === 1 ? all[0] : all]
      })
      const signature = headers['x-twilio-signature']
      return validateRequest(secret, signature, url, Object.fromEntries(values))
    },
    refuses: ['wrong-signature', 'cut-body'],
  },
}

/** Sends an event with a fault, if one is given. Resolves with whether the library accepts each attempt. */
async function attempts(
  { signature, verify, contract: own = contract }: Receiver,
  fault?: DeliveryFault,
): Promise<readonly boolean[]> {
  const accepted: boolean[] = []
  const sandbox = createSandbox({
    contract: own,
    events: {
      to: 'http://127.0.0.1:3000/hooks',
      signature,
      deliver: async (request) => {
        const received = {
          url: request.url,
          body: await request.text(),
          headers: Object.fromEntries(request.headers),
        }
        const isAccepted = await isGenuine(() => verify(received, sandbox.events.secret))
        accepted.push(isAccepted)
        return new Response(null, { status: isAccepted ? 204 : 401 })
      },
    },
  })
  if (fault) sandbox.force({ delivery: fault, times: 1 })
  await sandbox.collection('orders').update(1, { item: 'Ä book' })
  await sandbox.events.settled()
  sandbox.clock.advance('5s')
  await sandbox.events.settled()

  return accepted
}

async function isGenuine(verify: () => unknown): Promise<boolean> {
  try {
    return (await verify()) !== false
  } catch {
    return false
  }
}

test.each(Object.entries(RECEIVERS))('%s accepts a genuine delivery', async (_name, receiver) => {
  expect(await attempts(receiver)).toEqual([true])
})

test.each(
  Object.entries(RECEIVERS).flatMap(([name, receiver]) =>
    receiver.refuses.map((fault) => [name, fault, receiver] as const),
  ),
)('%s refuses the fault %s, and accepts the delivery after it', async (_name, fault, receiver) => {
  expect(await attempts(receiver, fault)).toEqual([false, true])
})
