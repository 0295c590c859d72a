import type { SandboxClient } from '../../../client/sandbox-client.ts'
import { worldPath } from '../../../http/world-path.ts'
import { type Credential, takeCredentials } from './credentials.ts'
import type { OperationDetails } from './operation-types.ts'
import { type RequestForm, toForm } from './request-form.ts'

/** The first values of a form, and what it offers. */
export interface LoadedForm {
  readonly form: RequestForm
  readonly credentials: readonly Credential[]
  /** The configured keys. */
  readonly keys: readonly string[]
  /** Why there are no values: the message of the sandbox. */
  readonly problem?: string
}

/** What a sandbox without keys is sent, as it accepts any credential. */
const ANY_KEY = 'sk_sandbox'

/** Loads a valid request for an operation. Without one, the form is empty. */
export async function loadForm(
  client: SandboxClient,
  details: OperationDetails,
): Promise<LoadedForm> {
  const all = await client.keys()
  const keys = all.map(({ key }) => key)
  const key = all.find(({ always }) => always === undefined)?.key ?? ANY_KEY
  try {
    const given = await client.sampleRequest(details.operation, { key })
    const { sample, credentials } = takeCredentials(given, key)
    return { keys, credentials, form: toForm(details, sample, credentials.length > 0 ? key : '') }
  } catch (error) {
    const { basePath } = await client.health()
    const world = client.name === 'default' ? '' : worldPath(client.name)
    const { method, path } = details
    const empty = { method, path: world + basePath + path, query: [], headers: [] }
    const problem = error instanceof Error ? error.message : String(error)
    return { keys, credentials: [], form: toForm(details, empty, ''), problem }
  }
}
