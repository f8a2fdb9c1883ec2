package main

import (
	"log"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/glebarez/sqlite"
	rowcastgin "github.com/rowcast/rowcast/adapters/gin"
	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/memstore"
	"gorm.io/gorm"
)

type Card struct {
	ID     uint64 `json:"id"`
	Title  string `json:"title"`
	Secret string `json:"-"` // never leaves the process
}

func main() {
	db, err := gorm.Open(sqlite.Open("cards.db"), &gorm.Config{})
	check(err)
	check(db.AutoMigrate(&Card{}))

	// rowcast: an engine over a log, a plugin that sees what GORM writes, a route that streams it.
	engine, err := rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{
		Defaults: rowcast.Settings{Realtime: rowcast.On},
	})
	check(err)
	capture := rowcastgorm.New(engine, rowcastgorm.Config{})
	check(capture.Register(db, &Card{}, rowcastgorm.Entity{Filterable: rowcast.AllFields}))
	check(db.Use(capture))

	router := gin.Default()
	check(rowcastgin.Mount(router, "/realtime", engine, rowcastgin.Config{}))
	router.POST("/cards", func(c *gin.Context) {
		card := Card{}
		if err := c.ShouldBindJSON(&card); err != nil {
			c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
			return
		}
		if err := db.WithContext(c.Request.Context()).Create(&card).Error; err != nil {
			c.JSON(http.StatusInternalServerError, gin.H{"error": "the card could not be saved"})
			return
		}
		c.JSON(http.StatusCreated, card)
	})
	check(http.ListenAndServe(":8080", router))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
