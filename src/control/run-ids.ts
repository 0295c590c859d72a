import type { Sandbox } from '../sandbox/sandbox.ts'

const ids = new WeakMap<Sandbox, string>()

/** Identifies a sandbox from its start to its end. After a restart it has another id. */
export function runIdOf(sandbox: Sandbox): string {
  const id = ids.get(sandbox) ?? crypto.getRandomValues(new Uint32Array(3)).join('-')
  ids.set(sandbox, id)

  return id
}
