BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0007');
CREATE TABLE analyses (
	game VARCHAR(6) NOT NULL, 
	found JSON NOT NULL, 
	made_at DATETIME NOT NULL, 
	CONSTRAINT pk_analyses PRIMARY KEY (game), 
	CONSTRAINT fk_analyses_game_games FOREIGN KEY(game) REFERENCES games (id)
);
CREATE TABLE events (
	game VARCHAR(6) NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	data JSON NOT NULL, 
	person INTEGER, 
	at DATETIME NOT NULL, 
	cause TEXT, 
	CONSTRAINT pk_events PRIMARY KEY (game, number), 
	CONSTRAINT fk_events_game_games FOREIGN KEY(game) REFERENCES games (id), 
	CONSTRAINT fk_events_person_people FOREIGN KEY(person) REFERENCES people (id)
);
INSERT INTO "events" VALUES('YCDGTK',1,'opened','{"seats":2,"options":{"board":"hexagon","setup":"classic"}}',1,'2026-11-21 12:00:00.000000','web:event-1');
INSERT INTO "events" VALUES('YCDGTK',2,'joined','{"by":"web:event-2"}',2,'2026-11-21 12:00:00.000000','web:event-2');
INSERT INTO "events" VALUES('YCDGTK',3,'started','{"seats":[0,1]}',NULL,'2026-11-21 12:00:00.000000','web:event-2');
INSERT INTO "events" VALUES('YCDGTK',4,'action','{"action":"b1-a1","seat":0}',1,'2026-11-21 12:00:00.000000','web:event-3');
INSERT INTO "events" VALUES('YCDGTK',5,'action','{"action":"b5-a4","seat":1}',2,'2026-11-21 12:00:00.000000','web:event-4');
INSERT INTO "events" VALUES('YCDGTK',6,'action','{"action":"drop 0","seat":0,"why":"resigned"}',1,'2026-11-21 12:00:00.000000','web:event-6');
INSERT INTO "events" VALUES('3CRC4W',1,'opened','{"seats":2,"options":{"board":"hexagon","setup":"classic"}}',1,'2026-11-21 12:00:00.000000','web:event-7');
INSERT INTO "events" VALUES('3CRC4W',2,'joined','{"by":"web:event-8"}',2,'2026-11-21 12:00:00.000000','web:event-8');
INSERT INTO "events" VALUES('3CRC4W',3,'started','{"seats":[0,1]}',NULL,'2026-11-21 12:00:00.000000','web:event-8');
INSERT INTO "events" VALUES('3CRC4W',4,'action','{"action":"b1-a1","seat":0}',1,'2026-11-21 12:00:00.000000','web:event-9');
INSERT INTO "events" VALUES('3CRC4W',5,'action','{"action":"b5-a4","seat":1}',2,'2026-11-21 12:00:00.000000','web:event-10');
INSERT INTO "events" VALUES('3CRC4W',6,'action','{"action":"a1-a2","seat":0}',1,'2026-11-21 12:00:00.000000','web:event-11');
INSERT INTO "events" VALUES('QWTVJK',1,'opened','{"seats":2,"options":{}}',1,'2026-11-21 12:00:00.000000','web:event-12');
INSERT INTO "events" VALUES('QWTVJK',2,'joined','{"by":"web:event-13"}',2,'2026-11-21 12:00:00.000000','web:event-13');
INSERT INTO "events" VALUES('QWTVJK',3,'started','{"seats":[0,1]}',NULL,'2026-11-21 12:00:00.000000','web:event-13');
INSERT INTO "events" VALUES('QWTVJK',4,'action','{"action":"a1","seat":0}',1,'2026-11-21 12:00:00.000000','web:event-14');
INSERT INTO "events" VALUES('QWTVJK',5,'action','{"action":"a2","seat":1}',2,'2026-11-21 12:00:00.000000','web:event-15');
INSERT INTO "events" VALUES('QWTVJK',6,'action','{"action":"a3","seat":0}',1,'2026-11-21 12:00:00.000000','web:event-16');
INSERT INTO "events" VALUES('NTYQXR',1,'opened','{"seats":2,"options":{"size":7}}',1,'2026-11-21 12:00:00.000000','web:event-17');
INSERT INTO "events" VALUES('NTYQXR',2,'joined','{"by":"web:event-18"}',2,'2026-11-21 12:00:00.000000','web:event-18');
INSERT INTO "events" VALUES('NTYQXR',3,'started','{"seats":[1,0]}',NULL,'2026-11-21 12:00:00.000000','web:event-18');
INSERT INTO "events" VALUES('NTYQXR',4,'action','{"action":"b2","seat":0}',2,'2026-11-21 12:00:00.000000','web:event-19');
INSERT INTO "events" VALUES('NTYQXR',5,'action','{"action":"b3","seat":1}',1,'2026-11-21 12:00:00.000000','web:event-20');
INSERT INTO "events" VALUES('NTYQXR',6,'action','{"action":"b4","seat":0}',2,'2026-11-21 12:00:00.000000','web:event-21');
INSERT INTO "events" VALUES('4MRK7V',1,'opened','{"seats":3,"options":{}}',1,'2026-11-21 12:00:00.000000','web:event-22');
INSERT INTO "events" VALUES('4MRK7V',2,'joined','{"by":"web:event-23"}',2,'2026-11-21 12:00:00.000000','web:event-23');
INSERT INTO "events" VALUES('4MRK7V',3,'joined','{"by":"web:event-24"}',3,'2026-11-21 12:00:00.000000','web:event-24');
INSERT INTO "events" VALUES('4MRK7V',4,'started','{"seats":[2,1,0]}',NULL,'2026-11-21 12:00:00.000000','web:event-24');
INSERT INTO "events" VALUES('4MRK7V',5,'action','{"action":"roll 2 3","draw":1}',NULL,'2026-11-21 12:00:00.000000','web:event-24');
INSERT INTO "events" VALUES('4MRK7V',6,'action','{"action":"roll 3 6","draw":2}',NULL,'2026-11-21 12:00:00.000000','web:event-24');
INSERT INTO "events" VALUES('4MRK7V',7,'action','{"action":"roll 4 5","draw":3}',NULL,'2026-11-21 12:00:00.000000','web:event-24');
INSERT INTO "events" VALUES('4MRK7V',8,'action','{"action":"a13","seat":0}',3,'2026-11-21 12:00:00.000000','web:event-25');
INSERT INTO "events" VALUES('4MRK7V',9,'action','{"action":"red","seat":1}',2,'2026-11-21 12:00:00.000000','web:event-26');
INSERT INTO "events" VALUES('4MRK7V',10,'action','{"action":"yellow","seat":2}',1,'2026-11-21 12:00:00.000000','web:event-27');
INSERT INTO "events" VALUES('W3TPCN',1,'opened','{"seats":3,"options":{}}',1,'2026-11-21 12:00:00.000000','web:event-28');
INSERT INTO "events" VALUES('W3TPCN',2,'joined','{"by":"web:event-29"}',2,'2026-11-21 12:00:00.000000','web:event-29');
INSERT INTO "events" VALUES('W3TPCN',3,'joined','{"by":"web:event-30"}',3,'2026-11-21 12:00:00.000000','web:event-30');
INSERT INTO "events" VALUES('W3TPCN',4,'started','{"seats":[2,0,1]}',NULL,'2026-11-21 12:00:00.000000','web:event-30');
INSERT INTO "events" VALUES('W3TPCN',5,'action','{"action":"deal red:c2,d2,e1,h1,h4 green:d1,e4,f3,g1,h2 yellow:b1,c1,f1,f2,g4 blue:a1,c4,d4,e2,h3 white:a2,a4,b3,d3,e3 black:b2","draw":1}',NULL,'2026-11-21 12:00:00.000000','web:event-30');
INSERT INTO "events" VALUES('W3TPCN',6,'action','{"action":"red","seat":0}',2,'2026-11-21 12:00:00.000000','web:event-31');
INSERT INTO "events" VALUES('W3TPCN',7,'action','{"action":"green","seat":1}',3,'2026-11-21 12:00:00.000000','web:event-32');
INSERT INTO "events" VALUES('W3TPCN',8,'action','{"action":"yellow","seat":2}',1,'2026-11-21 12:00:00.000000','web:event-33');
INSERT INTO "events" VALUES('THFDDW',1,'opened','{"seats":2,"options":{"board":"hexagon","setup":"classic"}}',3,'2026-11-21 12:00:00.000000','web:event-34');
CREATE TABLE game_places (
	place INTEGER NOT NULL, 
	game VARCHAR(6) NOT NULL, 
	live BOOLEAN NOT NULL, 
	CONSTRAINT pk_game_places PRIMARY KEY (place, game), 
	CONSTRAINT fk_game_places_game_games FOREIGN KEY(game) REFERENCES games (id), 
	CONSTRAINT fk_game_places_place_places FOREIGN KEY(place) REFERENCES places (id)
);
INSERT INTO "game_places" VALUES(1,'YCDGTK',0);
INSERT INTO "game_places" VALUES(1,'3CRC4W',1);
INSERT INTO "game_places" VALUES(1,'QWTVJK',1);
INSERT INTO "game_places" VALUES(1,'NTYQXR',1);
INSERT INTO "game_places" VALUES(1,'4MRK7V',1);
INSERT INTO "game_places" VALUES(1,'W3TPCN',1);
INSERT INTO "game_places" VALUES(1,'THFDDW',1);
CREATE TABLE "games" (
	id VARCHAR(6) NOT NULL, 
	game TEXT NOT NULL, 
	status TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	starter INTEGER NOT NULL, 
	options JSON NOT NULL, 
	rules_version INTEGER NOT NULL, 
	seat_count INTEGER NOT NULL, 
	seed TEXT NOT NULL, 
	seed_hash TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	turn INTEGER NOT NULL, 
	position JSON, 
	last_turn JSON, 
	to_move INTEGER, 
	waiting_since DATETIME NOT NULL, 
	deadline DATETIME, 
	outcome JSON, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	started_at DATETIME, 
	ended_at DATETIME, 
	alarm_at DATETIME, 
	terms JSON DEFAULT '{}' NOT NULL, 
	offers JSON DEFAULT '{}' NOT NULL, 
	thinking BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_games PRIMARY KEY (id), 
	CONSTRAINT ck_games_status CHECK (status IN ('lobby', 'playing', 'over')), 
	CONSTRAINT fk_games_starter_people FOREIGN KEY(starter) REFERENCES people (id), 
	CONSTRAINT fk_games_to_move_people FOREIGN KEY(to_move) REFERENCES people (id), 
	CONSTRAINT fk_games_place_places FOREIGN KEY(place) REFERENCES places (id)
);
INSERT INTO "games" VALUES('YCDGTK','annuvin','over',1,1,'{"board":"hexagon","setup":"classic"}',1,2,'0000000000000000000000000000000000000000000000000000000000000007','48428bdb7ddd829410d6bbb924fdeb3a3d7e88c2577bffae073b990c6f061d08',6,3,'{"game":"annuvin","options":{"board":"hexagon","setup":"classic"},"to_move":null,"pieces":[["a1","c1","d1","d2","e2","f3"],["a4","c6","d6","d7","e7","f7"]],"reserve":[0,0],"lost":[0,0],"moving":null,"dropped":[0],"outcome":{"reason":"last-seat","places":[2,1]},"extra":{"turn":3,"quiet":2}}','{"finished":{"number":3,"seat":0,"actions":["drop 0"],"before":{"game":"annuvin","options":{"board":"hexagon","setup":"classic"},"to_move":0,"pieces":[["a1","c1","d1","d2","e2","f3"],["a4","c6","d6","d7","e7","f7"]],"reserve":[0,0],"lost":[0,0],"moving":null,"dropped":[],"outcome":null,"extra":{"turn":2,"quiet":2,"history":[10061909076414300467230704128,163524755971995973741879428099]}}},"begun":null,"draws":0,"moved":6}',NULL,'2026-11-21 12:00:00.000000',NULL,'{"reason":"last-seat","places":[2,1]}','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,'{}','{}',0);
INSERT INTO "games" VALUES('3CRC4W','annuvin','playing',1,1,'{"board":"hexagon","setup":"classic"}',1,2,'0000000000000000000000000000000000000000000000000000000000000008','38df1c1f64a24a77b23393bca50dff872e31edc4f3b5aa3b90ad0b82f4f089b6',6,3,'{"game":"annuvin","options":{"board":"hexagon","setup":"classic"},"to_move":1,"pieces":[["a2","c1","d1","d2","e2","f3"],["a4","c6","d6","d7","e7","f7"]],"reserve":[0,0],"lost":[0,0],"moving":null,"dropped":[],"outcome":null,"extra":{"turn":3,"quiet":3,"history":[10061909076414300467230704128,163524755971995973741879428099,10061908523011978255944155152]}}','{"finished":{"number":3,"seat":0,"actions":["a1-a2"],"before":{"game":"annuvin","options":{"board":"hexagon","setup":"classic"},"to_move":0,"pieces":[["a1","c1","d1","d2","e2","f3"],["a4","c6","d6","d7","e7","f7"]],"reserve":[0,0],"lost":[0,0],"moving":null,"dropped":[],"outcome":null,"extra":{"turn":2,"quiet":2,"history":[10061909076414300467230704128,163524755971995973741879428099]}}},"begun":null,"draws":0,"moved":6}',2,'2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,NULL,'{}','{}',0);
INSERT INTO "games" VALUES('QWTVJK','real-queen','playing',1,1,'{}',1,2,'0000000000000000000000000000000000000000000000000000000000000009','887bf140ce0b6a497ed8db5c7498a45454f0b2bd644b0313f7a82acc084d0027',6,3,'{"game":"real-queen","options":{},"to_move":1,"pieces":[["a1","a3"],["a2"]],"queens":[null,null],"reserve":[18,19],"pending":null,"dropped":[],"outcome":null,"extra":{"turn":3,"idle":3}}','{"finished":{"number":3,"seat":0,"actions":["a3"],"before":{"game":"real-queen","options":{},"to_move":0,"pieces":[["a1"],["a2"]],"queens":[null,null],"reserve":[19,19],"pending":null,"dropped":[],"outcome":null,"extra":{"turn":2,"idle":2}}},"begun":null,"draws":0,"moved":6}',2,'2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,NULL,'{}','{}',0);
INSERT INTO "games" VALUES('NTYQXR','fagocitare','playing',1,1,'{"size":7}',1,2,'000000000000000000000000000000000000000000000000000000000000000a','81b04ae4944e1704a65bc3a57b6fc3b06a6b923e3c558d611f6a854b5539ec13',6,3,'{"game":"fagocitare","options":{"size":7},"to_move":1,"dots":[["b2","b4"],[]],"dead":[["b3"],[]],"lines":[[["b2","b4"]],[]],"dropped":[],"outcome":null,"extra":{"turn":3}}','{"finished":{"number":3,"seat":0,"actions":["b4"],"before":{"game":"fagocitare","options":{"size":7},"to_move":0,"dots":[["b2"],["b3"]],"dead":[[],[]],"lines":[[],[]],"dropped":[],"outcome":null,"extra":{"turn":2}}},"begun":null,"draws":0,"moved":6}',1,'2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,NULL,'{}','{}',0);
INSERT INTO "games" VALUES('4MRK7V','uomo-nero','playing',1,1,'{}',1,3,'000000000000000000000000000000000000000000000000000000000000000b','c09322c415a5ac9ffb1a6cde7e927f480cc1d8afaf22b39a47797966c08e9c4b',10,3,'{"game":"uomo-nero","options":{},"seats":3,"to_move":1,"phase":"colours","round":1,"order":[0,1,2],"man_seat":0,"man":"a13","attackers":[{"seat":1,"colour":"red","cell":"a1"},{"seat":1,"colour":"red","cell":"b1"},{"seat":2,"colour":"yellow","cell":"c1"},{"seat":2,"colour":"yellow","cell":"d1"}],"colours":{"red":1,"yellow":2},"dice":null,"used":null,"captured":[],"man_turns":0,"attack_scores":[0,0,0],"man_scores":[null,null,null],"dropped":[],"outcome":null,"extra":{"turn":3}}','{"finished":{"number":3,"seat":2,"actions":["yellow"],"before":{"game":"uomo-nero","options":{},"seats":3,"to_move":2,"phase":"colours","round":1,"order":[0,1,2],"man_seat":0,"man":"a13","attackers":[{"seat":1,"colour":"red","cell":"a1"},{"seat":1,"colour":"red","cell":"b1"}],"colours":{"red":1},"dice":null,"used":null,"captured":[],"man_turns":0,"attack_scores":[0,0,0],"man_scores":[null,null,null],"dropped":[],"outcome":null,"extra":{"turn":2}}},"begun":null,"draws":3,"moved":10}',2,'2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,NULL,'{}','{}',0);
INSERT INTO "games" VALUES('W3TPCN','vedova-nera','playing',1,1,'{}',1,3,'000000000000000000000000000000000000000000000000000000000000000c','a82872b96246dac512ddf0515f5da862a92ecebebcb92537b6e3e73199694c45',8,3,'{"game":"vedova-nera","options":{},"seats":3,"to_move":0,"phase":"play","colours":["red","green","yellow"],"marbles":{"red":["c2","d2","e1","h1","h4"],"green":["d1","e4","f3","g1","h2"],"yellow":["b1","c1","f1","f2","g4"]},"pawns":[["b1","c1","f1","f2","g4"],["c2","d2","e1","h1","h4"],["d1","e4","f3","g1","h2"]],"off":[0,0,0],"counsellor":"b2","counsellor_ban":null,"last_entry":null,"entry_ban":[null,null,null],"dropped":[],"outcome":null,"extra":{"turn":3}}','{"finished":{"number":3,"seat":2,"actions":["yellow"],"before":{"game":"vedova-nera","options":{},"seats":3,"to_move":2,"phase":"colours","colours":["red","green",null],"marbles":{"red":["c2","d2","e1","h1","h4"],"green":["d1","e4","f3","g1","h2"],"yellow":["b1","c1","f1","f2","g4"],"blue":["a1","c4","d4","e2","h3"],"white":["a2","a4","b3","d3","e3"],"black":["b2"]},"pawns":[[],[],[]],"off":[0,0,0],"counsellor":null,"counsellor_ban":null,"last_entry":null,"entry_ban":[null,null,null],"dropped":[],"outcome":null,"extra":{"turn":2}}},"begun":null,"draws":1,"moved":8}',2,'2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,NULL,'{}','{}',0);
INSERT INTO "games" VALUES('THFDDW','annuvin','lobby',1,3,'{"board":"hexagon","setup":"classic"}',1,2,'000000000000000000000000000000000000000000000000000000000000000d','2a3f128306951f1ded174b8803ee1f0df0c6404bbe92682be21fd84accf5d540',1,0,NULL,NULL,NULL,'2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-21 12:00:00.000000','2026-11-21 12:00:00.000000',NULL,NULL,'2026-11-24 12:00:00.000000','{}','{}',0);
CREATE TABLE handled_events (
	platform TEXT NOT NULL, 
	event TEXT NOT NULL, 
	reply JSON, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_handled_events PRIMARY KEY (platform, event)
);
INSERT INTO "handled_events" VALUES('web','event-1','{"card":{"text":[["New to ",false,false,null],["Annuvin",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn annuvin",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=annuvin","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-2','{"card":{"text":[["New to ",false,false,null],["Annuvin",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn annuvin",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=annuvin","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-3','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-4','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-6','{"card":{"text":[["You have left the game. Thanks for playing!",false,false,null]],"rows":[],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-7','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-8','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-9','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-10','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-11','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-12','{"card":{"text":[["New to ",false,false,null],["Real Queen",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn real-queen",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=real-queen","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-13','{"card":{"text":[["New to ",false,false,null],["Real Queen",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn real-queen",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=real-queen","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-14','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-15','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-16','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-17','{"card":{"text":[["New to ",false,false,null],["Fagocitare",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn fagocitare",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=fagocitare","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-18','{"card":{"text":[["New to ",false,false,null],["Fagocitare",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn fagocitare",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=fagocitare","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-19','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-20','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-21','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-22','{"card":{"text":[["New to ",false,false,null],["Gioco dell''Uomo Nero",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn uomo-nero",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=uomo-nero","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-23','{"card":{"text":[["New to ",false,false,null],["Gioco dell''Uomo Nero",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn uomo-nero",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=uomo-nero","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-24','{"card":{"text":[["New to ",false,false,null],["Gioco dell''Uomo Nero",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn uomo-nero",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=uomo-nero","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-25','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-26','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-27','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-28','{"card":{"text":[["New to ",false,false,null],["La Vedova Nera",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn vedova-nera",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=vedova-nera","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-29','{"card":{"text":[["New to ",false,false,null],["La Vedova Nera",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn vedova-nera",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=vedova-nera","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-30','{"card":{"text":[["New to ",false,false,null],["La Vedova Nera",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn vedova-nera",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=vedova-nera","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-31','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-32','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-33','{"card":null,"private":true,"update":false}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-34','{"card":{"text":[["New to ",false,false,null],["Annuvin",true,false,null],["? Learn it in three minutes, on a board of your own: ",false,false,null],["/learn annuvin",false,true,null]],"rows":[{"buttons":[["Learn it in three minutes","learn:LESSON:0=annuvin","plain",false]]}],"presses":{}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
INSERT INTO "handled_events" VALUES('web','event-36','{"card":{"text":[["Annuvin",true,false,null],[" \u00b7 lezione, passo 1 di 8",false,false,null],["\n\n",false,false,null],["Due piccoli eserciti, e un''idea che capovolge tutto: ",false,false,null],["meno pedine ti restano, pi\u00f9 lontano vanno.",true,false,null],["\n\nFinch\u00e9 le hai tutte e sei, ognuna fa una casella, in qualsiasi direzione.",false,false,null],["\n\n",false,false,null],["Tocca a te:",true,false,null],[" le tue pedine sono le bianche, in basso. Premi una pedina e poi la casella dove portarla. Puoi anche scrivere: ",false,false,null],["d2-d3",false,true,null],[".",false,false,null]],"rows":[{"buttons":[["1 \u00b7 b1","l:1:1=b1","plain",false],["2 \u00b7 c1","l:1:1=c1","plain",false],["3 \u00b7 d2","l:1:1=d2","plain",false],["4 \u00b7 e2","l:1:1=e2","plain",false],["5 \u00b7 f3","l:1:1=f3","plain",false]]},{"buttons":[["Suggerimento","lesson:1:1=hint","plain",false],["Salta","lesson:1:1=skip","plain",false]]}],"presses":{"b1":"l:1:1=b1","c1":"l:1:1=c1","d2":"l:1:1=d2","e2":"l:1:1=e2","f3":"l:1:1=f3"}},"private":true,"update":true}','2026-11-21 12:00:00.000000');
CREATE TABLE identities (
	platform TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	person INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	name_key TEXT NOT NULL, 
	language TEXT, was INTEGER, 
	CONSTRAINT pk_identities PRIMARY KEY (platform, user_id), 
	CONSTRAINT fk_identities_person_people FOREIGN KEY(person) REFERENCES people (id)
);
INSERT INTO "identities" VALUES('web','anna',1,'Anna','anna','en',NULL);
INSERT INTO "identities" VALUES('web','bruno',2,'Bruno','bruno','en',NULL);
INSERT INTO "identities" VALUES('web','carla',3,'Carla','carla','en',NULL);
CREATE TABLE lessons (
	id INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	game_key TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	step TEXT NOT NULL, 
	state JSON NOT NULL, 
	place INTEGER, 
	touched_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	CONSTRAINT pk_lessons PRIMARY KEY (id), 
	CONSTRAINT fk_lessons_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_lessons_place_places FOREIGN KEY(place) REFERENCES places (id), 
	CONSTRAINT uq_lessons_person_game_key UNIQUE (person, game_key)
);
INSERT INTO "lessons" VALUES(1,1,'annuvin',1,'move','{"position":{"game":"annuvin","options":{"board":"hexagon","setup":"classic"},"to_move":0,"pieces":[["b1","c1","d1","d2","e2","f3"],["b5","c6","d6","d7","e7","f7"]],"reserve":[0,0],"lost":[0,0],"moving":null,"dropped":[],"outcome":null,"extra":{}},"last_turn":{"finished":null,"begun":null,"draws":0},"at":0,"done":false,"tries":0,"turns":0}',1,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(2,2,'annuvin',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(3,1,'real-queen',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(4,2,'real-queen',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(5,1,'fagocitare',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(6,2,'fagocitare',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(7,1,'uomo-nero',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(8,2,'uomo-nero',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(9,3,'uomo-nero',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(10,1,'vedova-nera',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(11,2,'vedova-nera',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(12,3,'vedova-nera',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
INSERT INTO "lessons" VALUES(13,3,'annuvin',0,'','{}',NULL,'2026-11-21 12:00:00.000000',NULL);
CREATE TABLE link_codes (
	code TEXT NOT NULL, 
	person INTEGER NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_link_codes PRIMARY KEY (code), 
	CONSTRAINT fk_link_codes_person_people FOREIGN KEY(person) REFERENCES people (id)
);
INSERT INTO "link_codes" VALUES('HPCNMHF9',1,'2026-11-21 12:15:00.000000');
CREATE TABLE members (
	place INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	seen_at DATETIME NOT NULL, 
	CONSTRAINT pk_members PRIMARY KEY (place, person), 
	CONSTRAINT fk_members_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_members_place_places FOREIGN KEY(place) REFERENCES places (id)
);
INSERT INTO "members" VALUES(1,1,'2026-11-21 12:00:00.000000');
INSERT INTO "members" VALUES(1,2,'2026-11-21 12:00:00.000000');
INSERT INTO "members" VALUES(1,3,'2026-11-21 12:00:00.000000');
CREATE TABLE notes (
	platform TEXT NOT NULL, 
	name TEXT NOT NULL, 
	value JSON NOT NULL, 
	CONSTRAINT pk_notes PRIMARY KEY (platform, name)
);
CREATE TABLE people (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	language TEXT, 
	settings JSON NOT NULL, 
	created_at DATETIME NOT NULL, same_as INTEGER, 
	CONSTRAINT pk_people PRIMARY KEY (id)
);
INSERT INTO "people" VALUES(1,'Anna','en','{"language":"it","theme":"dark"}','2026-11-21 12:00:00.000000',NULL);
INSERT INTO "people" VALUES(2,'Bruno','en','{}','2026-11-21 12:00:00.000000',NULL);
INSERT INTO "people" VALUES(3,'Carla','en','{}','2026-11-21 12:00:00.000000',NULL);
CREATE TABLE places (
	id INTEGER NOT NULL, 
	platform TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	thread TEXT NOT NULL, 
	group_id TEXT, 
	kind TEXT NOT NULL, 
	title TEXT NOT NULL, 
	settings JSON NOT NULL, 
	CONSTRAINT pk_places PRIMARY KEY (id), 
	CONSTRAINT uq_places_platform_channel_thread UNIQUE (platform, channel, thread)
);
INSERT INTO "places" VALUES(1,'web','room','',NULL,'group','The room','{}');
CREATE TABLE pulses (
	name TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_pulses PRIMARY KEY (name)
);
CREATE TABLE ratings (
	person INTEGER NOT NULL, 
	game_key TEXT NOT NULL, 
	pool TEXT NOT NULL, 
	mu FLOAT NOT NULL, 
	sigma FLOAT NOT NULL, 
	wins INTEGER NOT NULL, 
	draws INTEGER NOT NULL, 
	losses INTEGER NOT NULL, 
	CONSTRAINT pk_ratings PRIMARY KEY (person, game_key, pool), 
	CONSTRAINT fk_ratings_person_people FOREIGN KEY(person) REFERENCES people (id)
);
INSERT INTO "ratings" VALUES(2,'','people',2.76353894931404973087e+01,8.06590141354368,1,0,0);
INSERT INTO "ratings" VALUES(1,'','people',2.23646105068595026912e+01,8.06590141354368,0,0,1);
INSERT INTO "ratings" VALUES(2,'annuvin','people',2.76353894931404973087e+01,8.06590141354368,1,0,0);
INSERT INTO "ratings" VALUES(1,'annuvin','people',2.23646105068595026912e+01,8.06590141354368,0,0,1);
CREATE TABLE "results" (
	game VARCHAR(6) NOT NULL, 
	seat INTEGER NOT NULL, 
	game_key TEXT NOT NULL, 
	person INTEGER, 
	place_number INTEGER NOT NULL, 
	mark TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	rated BOOLEAN NOT NULL, 
	ended_at DATETIME NOT NULL, 
	pool TEXT DEFAULT 'people' NOT NULL, 
	mu FLOAT, 
	sigma FLOAT, 
	CONSTRAINT pk_results PRIMARY KEY (game, seat), 
	CONSTRAINT fk_results_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT fk_results_game_games FOREIGN KEY(game) REFERENCES games (id)
);
INSERT INTO "results" VALUES('YCDGTK',0,'annuvin',1,2,'loss','last-seat',1,'2026-11-21 12:00:00.000000','people',2.23646105068595026912e+01,8.06590141354368);
INSERT INTO "results" VALUES('YCDGTK',1,'annuvin',2,1,'win','last-seat',1,'2026-11-21 12:00:00.000000','people',2.76353894931404973087e+01,8.06590141354368);
CREATE TABLE room_messages (
	id INTEGER NOT NULL, 
	room TEXT NOT NULL, 
	change INTEGER NOT NULL, 
	"key" TEXT, 
	author INTEGER, 
	recipient INTEGER, 
	text TEXT NOT NULL, 
	card JSON, 
	picture INTEGER, 
	created_at DATETIME NOT NULL, 
	edited_at DATETIME, 
	deleted BOOLEAN NOT NULL, 
	CONSTRAINT pk_room_messages PRIMARY KEY (id), 
	CONSTRAINT fk_room_messages_author_people FOREIGN KEY(author) REFERENCES people (id), 
	CONSTRAINT fk_room_messages_recipient_people FOREIGN KEY(recipient) REFERENCES people (id), 
	CONSTRAINT fk_room_messages_room_rooms FOREIGN KEY(room) REFERENCES rooms (name), 
	CONSTRAINT uq_room_messages_room_change UNIQUE (room, change), 
	CONSTRAINT uq_room_messages_room_key UNIQUE (room, "key")
);
CREATE TABLE room_pictures (
	message INTEGER NOT NULL, 
	png BLOB NOT NULL, 
	CONSTRAINT pk_room_pictures PRIMARY KEY (message), 
	CONSTRAINT fk_room_pictures_message_room_messages FOREIGN KEY(message) REFERENCES room_messages (id)
);
CREATE TABLE rooms (
	name TEXT NOT NULL, 
	change INTEGER NOT NULL, 
	CONSTRAINT pk_rooms PRIMARY KEY (name)
);
CREATE TABLE seats (
	game VARCHAR(6) NOT NULL, 
	number INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	seat INTEGER, 
	person INTEGER, 
	computer TEXT, 
	name TEXT NOT NULL, 
	joined_by TEXT, 
	live BOOLEAN NOT NULL, 
	CONSTRAINT pk_seats PRIMARY KEY (game, number), 
	CONSTRAINT fk_seats_game_games FOREIGN KEY(game) REFERENCES games (id), 
	CONSTRAINT fk_seats_person_people FOREIGN KEY(person) REFERENCES people (id), 
	CONSTRAINT uq_seats_game_person UNIQUE (game, person), 
	CONSTRAINT uq_seats_game_seat UNIQUE (game, seat)
);
INSERT INTO "seats" VALUES('YCDGTK',0,'joined',0,1,NULL,'','web:event-1',0);
INSERT INTO "seats" VALUES('YCDGTK',1,'joined',1,2,NULL,'','web:event-2',0);
INSERT INTO "seats" VALUES('3CRC4W',0,'joined',0,1,NULL,'','web:event-7',1);
INSERT INTO "seats" VALUES('3CRC4W',1,'joined',1,2,NULL,'','web:event-8',1);
INSERT INTO "seats" VALUES('QWTVJK',0,'joined',0,1,NULL,'','web:event-12',1);
INSERT INTO "seats" VALUES('QWTVJK',1,'joined',1,2,NULL,'','web:event-13',1);
INSERT INTO "seats" VALUES('NTYQXR',0,'joined',1,1,NULL,'','web:event-17',1);
INSERT INTO "seats" VALUES('NTYQXR',1,'joined',0,2,NULL,'','web:event-18',1);
INSERT INTO "seats" VALUES('4MRK7V',0,'joined',2,1,NULL,'','web:event-22',1);
INSERT INTO "seats" VALUES('4MRK7V',1,'joined',1,2,NULL,'','web:event-23',1);
INSERT INTO "seats" VALUES('4MRK7V',2,'joined',0,3,NULL,'','web:event-24',1);
INSERT INTO "seats" VALUES('W3TPCN',0,'joined',2,1,NULL,'','web:event-28',1);
INSERT INTO "seats" VALUES('W3TPCN',1,'joined',0,2,NULL,'','web:event-29',1);
INSERT INTO "seats" VALUES('W3TPCN',2,'joined',1,3,NULL,'','web:event-30',1);
INSERT INTO "seats" VALUES('THFDDW',0,'joined',NULL,3,NULL,'','web:event-34',1);
INSERT INTO "seats" VALUES('THFDDW',1,'open',NULL,NULL,NULL,'',NULL,1);
CREATE TABLE surfaces (
	id INTEGER NOT NULL, 
	game VARCHAR(6) NOT NULL, 
	place INTEGER NOT NULL, 
	message TEXT, 
	shown_revision INTEGER, 
	announced_turn INTEGER, 
	retiring JSON NOT NULL, 
	due_at DATETIME, 
	attempts INTEGER NOT NULL, 
	gone BOOLEAN NOT NULL, 
	CONSTRAINT pk_surfaces PRIMARY KEY (id), 
	CONSTRAINT fk_surfaces_game_games FOREIGN KEY(game) REFERENCES games (id), 
	CONSTRAINT fk_surfaces_place_places FOREIGN KEY(place) REFERENCES places (id), 
	CONSTRAINT uq_surfaces_game_place UNIQUE (game, place)
);
INSERT INTO "surfaces" VALUES(1,'YCDGTK',1,'m5',6,49,'[]',NULL,0,0);
INSERT INTO "surfaces" VALUES(2,'3CRC4W',1,'m10',6,51,'[]',NULL,0,0);
INSERT INTO "surfaces" VALUES(3,'QWTVJK',1,'m15',6,51,'[]',NULL,0,0);
INSERT INTO "surfaces" VALUES(4,'NTYQXR',1,'m20',6,51,'[]',NULL,0,0);
INSERT INTO "surfaces" VALUES(5,'4MRK7V',1,'m25',10,51,'[]',NULL,0,0);
INSERT INTO "surfaces" VALUES(6,'W3TPCN',1,'m30',8,50,'[]',NULL,0,0);
INSERT INTO "surfaces" VALUES(7,'THFDDW',1,'m31',1,0,'[]',NULL,0,0);
CREATE INDEX ix_handled_events_at ON handled_events (at);
CREATE INDEX ix_identities_name_key ON identities (name_key);
CREATE INDEX ix_identities_person ON identities (person);
CREATE INDEX ix_members_place_seen_at ON members (place, seen_at);
CREATE INDEX ix_room_messages_room_id ON room_messages (room, id);
CREATE INDEX ix_game_places_game ON game_places (game);
CREATE INDEX ix_game_places_live ON game_places (place) WHERE live = 1;
CREATE INDEX ix_seats_live ON seats (person) WHERE live = 1;
CREATE INDEX ix_surfaces_due ON surfaces (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_surfaces_place_message ON surfaces (place, message);
CREATE INDEX ix_link_codes_person ON link_codes (person);
CREATE INDEX ix_ratings_game_key_pool ON ratings (game_key, pool);
CREATE INDEX ix_members_person ON members (person);
CREATE INDEX ix_people_same_as ON people (same_as);
CREATE INDEX ix_places_platform_group_id ON places (platform, group_id);
CREATE INDEX ix_results_person_game_key_ended_at ON results (person, game_key, ended_at);
CREATE INDEX ix_room_messages_author ON room_messages (author);
CREATE INDEX ix_room_messages_recipient ON room_messages (recipient);
CREATE INDEX ix_games_alarm_at ON games (alarm_at) WHERE alarm_at IS NOT NULL;
CREATE INDEX ix_games_thinking ON games (waiting_since) WHERE thinking = 1;
CREATE INDEX ix_games_live ON games (status) WHERE status <> 'over';
COMMIT;