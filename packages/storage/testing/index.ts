export { type TemporarySchema, temporarySchema } from './open-postgres-store.ts';
export { type PostgresServer, startPostgres } from './postgres-server.ts';
