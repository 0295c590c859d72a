import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Whether this Node supports MSW 3, which needs Node 22. */
export const SUPPORTS_MSW_3: boolean = Number.parseInt(process.versions.node, 10) >= 22

/** Runs a script with this Node, or with a Node 24 from npx if this one is older than 22. Returns its output. */
export async function runOnModernNode(script: string, input: string): Promise<string> {
  const [file, ...args] = SUPPORTS_MSW_3
    ? [process.execPath, script]
    : ['npx', '--yes', 'node@24', script]
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(input)
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (output === '') throw new Error(`${script} printed nothing: ${errors}`)

  return output
}
