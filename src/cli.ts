export { run } from './cli/program.ts'
