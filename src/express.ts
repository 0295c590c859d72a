export { toExpress } from './transports/express.ts'
